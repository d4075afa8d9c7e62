// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/compare_page.h"

#include "core/base/try.h"
#include "core/io/byte_source.h"
#include "core/memtrace/summary.h"
#include "core/workspace/file_formats.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/tables/column_fitter.h"
#include "ui/tables/table_look.h"

#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

/// The device of the same number, else the one with the highest peak.
std::size_t deviceLike(const memtrace::MemoryTrace& trace, int ordinal)
{
    const auto& devices = trace.devices();
    const auto same = std::ranges::find(devices, ordinal, &memtrace::DeviceTrace::ordinal);
    return same != devices.end() ? static_cast<std::size_t>(same - devices.begin())
                                 : memtrace::summaryOf(trace).highest;
}

QString sumText(const memtrace::BlockSum& sum)
{
    return sum.blocks == 1 ? ComparePage::tr("%1 in 1 block").arg(bytesText(sum.bytes))
                           : ComparePage::tr("%1 in %2 blocks")
                                 .arg(bytesText(sum.bytes), countText(sum.blocks));
}

base::Result<ComparePage::Other> readOther(const QString& path, const base::JobContext& job)
{
    io::Source source{path.toStdString()};
    ASSIGN_OR_RETURN(readers::FileValue value,
                     workspace::fileFormats().read(source, readers::FileKind::Profile, job));
    auto* profile = std::get_if<readers::ReadProfile>(&value);
    if (profile == nullptr)
        return base::failure(base::ErrorKind::File,
                             source.name() + " is no memory profile; choose a recording.");
    return ComparePage::Other{fileText(QFileInfo{path}.fileName()), profile->trace};
}

} // namespace

ComparePage::ComparePage(Others others, QWidget* parent)
    : QWidget{parent}, m_others{std::move(others)}, m_model{new DiffModel{this}}
{
    auto* column = makeColumn(this);
    auto* head = new QWidget{this};
    auto* row = makeRow(head, 8, {12, 6, 12, 2});
    m_choose = new QPushButton{tr("Compare With…"), head};
    m_menu = new QMenu{m_choose};
    m_choose->setMenu(m_menu);
    m_by = new QComboBox{head};
    m_by->setAccessibleName(tr("Group by"));
    m_by->addItems({tr("by frame"), tr("by stack"), tr("by class"), tr("by module"),
                    tr("by stream"), tr("by pool")}); // in the order of LiveBy
    row->addWidget(m_choose);
    row->addStretch(1);
    row->addWidget(m_by);
    column->addWidget(head);
    m_text = new QLabel{tr("Choose another profile: this one is A, the other one B. What they hold "
                           "at their peaks is compared."),
                        this};
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setContentsMargins(12, 2, 12, 4);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_text);
    m_table = makeTable(m_model, this, tr("Comparison"));
    new ColumnFitter{*m_table, {DiffModel::NameColumn, 90}, {}};
    column->addWidget(m_table, 1);
    m_table->hide();
    connect(m_menu, &QMenu::aboutToShow, this, &ComparePage::fillMenu);
    connect(m_by, &QComboBox::currentIndexChanged, this, &ComparePage::refresh);
}

void ComparePage::fillMenu()
{
    m_menu->clear();
    for (const Other& other : m_others())
        connect(m_menu->addAction(other.name), &QAction::triggered, this,
                [this, other] { compareWith(other); });
    if (!m_menu->isEmpty())
        m_menu->addSeparator();
    connect(m_menu->addAction(tr("&File…")), &QAction::triggered, this, &ComparePage::fileWanted);
}

void ComparePage::setPicture(workspace::ProfilePicturePtr picture)
{
    const bool isOther = !m_picture || m_picture->deviceIndex != picture->deviceIndex;
    m_picture = std::move(picture);
    if (isOther)
        refresh();
}

void ComparePage::compareWith(const Other& other)
{
    m_other = other;
    refresh();
}

void ComparePage::compareWithFile(const QString& path)
{
    m_text->setText(tr("Reading %1…").arg(fileText(QFileInfo{path}.fileName())));
    run([path](const base::JobContext& job) { return readOther(path, job); });
}

void ComparePage::refresh()
{
    if (m_other)
        run([other = *m_other](const base::JobContext&) { return base::Result<Other>{other}; });
}

void ComparePage::run(const std::function<base::Result<Other>(const base::JobContext&)>& open)
{
    if (!m_picture || m_picture->timeline->stepCount() == 0)
        return;
    m_isCurrent = true;
    const auto by = static_cast<memtrace::LiveBy>(m_by->currentIndex());
    m_runner.start(
        [open, by, picture = m_picture](const base::JobContext& job) -> base::Result<Compared> {
            Compared compared;
            ASSIGN_OR_RETURN(compared.other, open(job));
            const memtrace::MemoryTrace& trace = *compared.other.trace;
            compared.device = deviceLike(trace, picture->device().ordinal());
            const memtrace::DeviceTrace& device = trace.devices()[compared.device];
            compared.stepB = memtrace::buildTimeline(trace, device, {memtrace::classLayers(), {}},
                                                     memtrace::Axis::Events)
                                 ->peakStep();
            if (job.stopRequested())
                return base::cancelled();
            compared.diff = memtrace::diffTraces(
                {*picture->trace, picture->device(), picture->timeline->peakStep()},
                {trace, device, compared.stepB}, by);
            return compared;
        },
        [this, by](base::Result<Compared> compared) {
            if (compared) {
                take(*std::move(compared), by);
                return;
            }
            m_text->setText(QString::fromStdString(compared.error().message));
            m_table->hide();
        });
}

void ComparePage::take(Compared compared, memtrace::LiveBy by)
{
    m_other = compared.other;
    const memtrace::TraceDiff& diff = compared.diff;
    m_choose->setText(tr("B: %1").arg(m_other->name));
    m_text->setText(
        tr("At their peaks A holds %1 and B %2: %3. Only A: %4. In both: %5. Only B: %6.")
            .arg(bytesText(diff.a.bytes, Rounding::Up), bytesText(diff.b.bytes, Rounding::Up),
                 bytesDifferenceText(diff.b.bytes - diff.a.bytes), sumText(diff.onlyA),
                 sumText(diff.common), sumText(diff.onlyB)));
    m_table->show();
    m_model->setGroups(std::move(compared.diff.groups), by);
}

QString ComparePage::text() const
{
    return m_text->text();
}

} // namespace plimsoll::ui
