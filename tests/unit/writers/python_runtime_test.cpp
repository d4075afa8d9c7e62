// SPDX-License-Identifier: Apache-2.0
#include "core/writers/formats.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <array>
#include <string>
#include <string_view>

namespace {

using namespace plimsoll;

class PythonRuntimeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void joinsModulesIntoOneText();
    void joinsThePackagesModules();
};

void PythonRuntimeTest::joinsModulesIntoOneText()
{
    constexpr std::array<std::string_view, 2> kModules{
        "# SPDX-License-Identifier: Apache-2.0\n"
        "\"\"\"Numbers.\"\"\"\n\nimport torch\n\nONE = 1\n",
        "# SPDX-License-Identifier: Apache-2.0\n"
        "\"\"\"Sums.\n\nOf numbers.\n\"\"\"\n\nimport math\nimport torch\nfrom os import path\n\n"
        "from ..common.numbers import ONE\n\n\ndef two():\n    return ONE + ONE\n"};
    QCOMPARE(
        writers::joinPythonModules(kModules),
        std::string{"\"\"\"Sums.\n\nOf numbers.\n\"\"\"\n\nimport math\nimport torch\n"
                    "from os import path\n\n\nONE = 1\n\n\ndef two():\n    return ONE + ONE\n"});
}

void PythonRuntimeTest::joinsThePackagesModules()
{
    const std::string text = writers::joinPythonModules(writers::pythonRuntimeModules());
    QVERIFY(text.find("\ndef apply_regions(") != std::string::npos);
    QVERIFY(text.find("\nclass PlanMismatch(") != std::string::npos);
    QVERIFY(text.find("\nfrom .") == std::string::npos);
}

} // namespace

PLIMSOLL_TEST(PythonRuntimeTest, QCoreApplication)
#include "python_runtime_test.moc"
