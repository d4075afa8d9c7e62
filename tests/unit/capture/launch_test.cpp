// SPDX-License-Identifier: Apache-2.0
#include "core/capture/launch.h"

#include "tests/support/messages.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"
#include "tests/unit/capture/capture_file.h"

#include <QTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using namespace plimsoll;
using capture::LaunchRequest;
using capture::Variable;

namespace {

using Names = std::vector<std::string>;

capture::Environment withVariables(std::map<std::string, std::string> variables)
{
    return [variables = std::move(variables)](const std::string& name) {
        const auto found = variables.find(name);
        return found != variables.end() ? std::optional{found->second} : std::nullopt;
    };
}

std::string valueIn(const std::vector<Variable>& variables, const std::string& name)
{
    const auto found = std::ranges::find(variables, name, &Variable::name);
    return found != variables.end() ? found->value : "(not set)";
}

LaunchRequest request()
{
    return {.file = "/tmp/x.plmcap",
            .injection = "/lib/inject.so",
            .nvtx = "/lib/nvtx.so",
            .run = 0xABC,
            .snapshotModule = {}};
}

std::string recordingOf(std::uint64_t run)
{
    capture::wire::Process process;
    process.run = run;
    return tests::CaptureFile{}.addText(1, std::string(3000, 'a')).add(process).seal().bytes();
}

class LaunchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theProgramLoadsTheRecorder();
    void pathsAreAbsolute();
    void keepsTheProgramsPythonPath();
    void leavesAnotherNvtxTool();
    void refusesAnotherProfiler_data();
    void refusesAnotherProfiler();
    void findsLibraries();
    void collectsTheFilesOfOneRun();
};

void LaunchTest::theProgramLoadsTheRecorder()
{
    const auto variables = capture::launchEnvironment(request(), withVariables({})).value();
    QCOMPARE(valueIn(variables, "CUDA_INJECTION64_PATH"), std::string{"/lib/inject.so"});
    QCOMPARE(valueIn(variables, "NVTX_INJECTION64_PATH"), std::string{"/lib/nvtx.so"});
    QCOMPARE(valueIn(variables, "PLIMSOLL_CAPTURE_FILE"), std::string{"/tmp/x.plmcap"});
    QCOMPARE(valueIn(variables, "PLIMSOLL_CAPTURE_RUN"), std::string{"0000000000000abc"});
    QCOMPARE(valueIn(variables, "PYTORCH_NO_CUDA_MEMORY_CACHING"), std::string{"(not set)"});
    QCOMPARE(valueIn(variables, "PYTHONPATH"), std::string{"(not set)"});
    LaunchRequest tensors = request();
    tensors.tensors = true;
    QCOMPARE(valueIn(capture::launchEnvironment(tensors, withVariables({})).value(),
                     "PYTORCH_NO_CUDA_MEMORY_CACHING"),
             std::string{"1"});
}

void LaunchTest::pathsAreAbsolute()
{
    LaunchRequest relative = request();
    relative.file = "x.plmcap";
    relative.injection = "lib/inject.so";
    const auto variables = capture::launchEnvironment(relative, withVariables({})).value();
    const std::string here = std::filesystem::current_path().native();
    QCOMPARE(valueIn(variables, "PLIMSOLL_CAPTURE_FILE"), here + "/x.plmcap");
    QCOMPARE(valueIn(variables, "CUDA_INJECTION64_PATH"), here + "/lib/inject.so");
}

void LaunchTest::keepsTheProgramsPythonPath()
{
    LaunchRequest snapshot = request();
    snapshot.snapshotModule = "/tmp/module";
    const auto none = capture::launchEnvironment(snapshot, withVariables({})).value();
    QCOMPARE(valueIn(none, "PYTHONPATH"), std::string{"/tmp/module"});
    QCOMPARE(valueIn(none, "PLIMSOLL_SNAPSHOT_FILE"), std::string{"/tmp/x.pickle"});
    const auto some =
        capture::launchEnvironment(snapshot, withVariables({{"PYTHONPATH", "/a:/b"}})).value();
    QCOMPARE(valueIn(some, "PYTHONPATH"), std::string{"/tmp/module:/a:/b"});
}

void LaunchTest::leavesAnotherNvtxTool()
{
    const auto variables =
        capture::launchEnvironment(request(),
                                   withVariables({{"NVTX_INJECTION64_PATH", "/opt/other.so"}}))
            .value();
    QCOMPARE(valueIn(variables, "NVTX_INJECTION64_PATH"), std::string{"(not set)"});
}

void LaunchTest::refusesAnotherProfiler_data()
{
    QTest::addColumn<std::string>("value");
    QTest::addColumn<bool>("isRefused");
    QTest::newRow("another") << std::string{"/opt/other.so"} << true;
    QTest::newRow("ours") << std::string{"/lib/inject.so"} << false;
    QTest::newRow("switched off") << std::string{"none"} << false;
    QTest::newRow("empty") << std::string{} << false;
}

void LaunchTest::refusesAnotherProfiler()
{
    QFETCH(std::string, value);
    QFETCH(bool, isRefused);
    const auto variables =
        capture::launchEnvironment(request(), withVariables({{"CUDA_INJECTION64_PATH", value}}));
    QCOMPARE(!variables, isRefused);
    QVERIFY(!isRefused
            || (variables.error().kind == base::ErrorKind::Usage
                && tests::isOneSentence(variables.error().message)));
}

void LaunchTest::findsLibraries()
{
    const tests::TempFolder folder;
    std::filesystem::create_directories(folder.path() / "bin");
    std::filesystem::create_directories(folder.path() / "lib");
    const auto find = [&](const std::map<std::string, std::string>& variables) {
        return capture::findLibrary("libours.so", "OURS", folder.path() / "bin",
                                    withVariables(variables));
    };
    QCOMPARE(tests::faultOfRefusal(find({}), {"libours.so", "OURS"}), std::string{});
    (void)folder.fileWith("bin/libours.so", "x");
    QCOMPARE(find({}).value(), folder.path() / "bin/libours.so");
    (void)folder.fileWith("lib/libours.so", "x");
    QCOMPARE(find({}).value(), folder.path() / "lib/libours.so");
    const std::string named = folder.fileWith("named.so", "x");
    QCOMPARE(find({{"OURS", named}}).value(), std::filesystem::path{named});
    QCOMPARE(tests::faultOfRefusal(find({{"OURS", "/no/such"}}), {"OURS", "/no/such"}),
             std::string{});
}

void LaunchTest::collectsTheFilesOfOneRun()
{
    const tests::TempFolder folder;
    const std::string main = folder.file("x.plmcap");
    QVERIFY(capture::filesOfRun(main, 7).empty());
    const std::string second = folder.fileWith("x.20.plmcap", recordingOf(7));
    const std::string first = folder.fileWith("x.10.plmcap", recordingOf(7));
    (void)folder.fileWith("x.30.plmcap", recordingOf(8));
    (void)folder.fileWith("y.10.plmcap", recordingOf(7));
    (void)folder.fileWith("x.40.plmcap", "no recording");
    (void)folder.fileWith("x.50.txt", recordingOf(7));
    using Paths = std::vector<std::filesystem::path>;
    QCOMPARE(capture::filesOfRun(main, 7), (Paths{first, second}));
    (void)folder.fileWith("x.plmcap", recordingOf(7));
    QCOMPARE(capture::filesOfRun(main, 7), (Paths{main, first, second}));
    QCOMPARE(capture::snapshotOf(first).native(), folder.file("x.10.pickle"));
}

} // namespace

PLIMSOLL_TEST(LaunchTest, tests::NoApplication)
#include "launch_test.moc"
