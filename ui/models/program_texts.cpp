// SPDX-License-Identifier: Apache-2.0
#include "ui/models/program_texts.h"

#include "ui/base/texts.h"

#include <QCoreApplication>

#include <array>

namespace plimsoll::ui {

namespace {

QString programText(const char* text)
{
    return QCoreApplication::translate("Program", text);
}

} // namespace

QString opTitle(const graph::Program& program, graph::OpId op)
{
    const QString target = fileText(program.targetOf(program.op(op)));
    // "aten.mul.Tensor": library and overload add nothing here.
    QString name = target.section(u'.', 1, 1);
    if (name.isEmpty())
        name = target;
    while (name.startsWith(u'_') && name.size() > 1)
        name = name.mid(1);
    return name;
}

QString opPlace(const graph::Program& program, graph::OpId op)
{
    const graph::Op& row = program.op(op);
    const std::string& path = program.modulePath(row);
    return (path.empty() ? opTitle(program, op) : pathEnd(path)) + QStringLiteral(", ")
           + phaseText(row.phase);
}

QString phaseText(graph::Phase phase)
{
    static constexpr std::array kNames{"forward", "loss", "backward", "optimizer"};
    return programText(kNames.at(static_cast<std::size_t>(phase)));
}

QString pathEnd(const std::string& path)
{
    constexpr qsizetype kLongest = 24;
    QString end = fileText(path);
    while (end.size() > kLongest && end.contains(u'.'))
        end = end.mid(end.indexOf(u'.') + 1);
    return end;
}

QString storageTitle(const graph::Program& program, graph::StorageId storage)
{
    const graph::Storage& row = program.storage(storage);
    if (!row.names.empty())
        return fileText(row.names.front());
    if (row.alloc < 0)
        return QString::fromLatin1(graph::className(row.storageClass)).replace(u'_', u' ');
    const graph::OpId maker{static_cast<std::size_t>(row.alloc)};
    const std::string& path = program.modulePath(program.op(maker));
    const QString title = opTitle(program, maker);
    return path.empty() ? title : title + QStringLiteral(", ") + pathEnd(path);
}

QString sizesText(const std::map<std::string, std::int64_t>& sizes)
{
    QStringList texts;
    for (const auto& [axis, size] : sizes)
        texts << fileText(axis) + u' ' + QString::number(size);
    return texts.join(QStringLiteral(", "));
}

QString sizeText(const graph::Program& program, std::map<std::string, std::int64_t> sizes)
{
    if (!program.vary)
        return {};
    for (const graph::Axis& axis : program.vary->axes)
        sizes.emplace(axis.name, axis.size);
    return sizesText(sizes);
}

QString shortDeviceName(const plan::Device& device)
{
    return QString::fromStdString(device.name).remove(QLatin1String{"GeForce "});
}

} // namespace plimsoll::ui
