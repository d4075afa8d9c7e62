// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/inspector.h"

#include "core/memtrace/frames.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/profile_tables/allocation_texts.h"

#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTreeWidget>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr int kSourceWidth = 120; ///< before scaling, as the next
constexpr int kStackHeight = 90;  ///< at least
constexpr int kSource = 0;        ///< column, whose UserRole is the place to open

/// The size of the allocator's block; none: the recording doesn't have it.
std::optional<base::Bytes> blockOf(const memtrace::DeviceTrace& device, std::uint32_t allocation)
{
    const auto& blocks = device.endBlocks();
    const auto at = std::ranges::find(blocks, allocation, &memtrace::EndBlock::allocation);
    return at == blocks.end() ? std::nullopt : std::optional{base::Bytes{at->bytes}};
}

QTreeWidgetItem* frameItem(const memtrace::StackTable& stacks, const memtrace::Frame& frame)
{
    const QString file = fileText(std::string{stacks.text(frame.file)});
    const QString source = file.isEmpty() ? file : file + u':' + QString::number(frame.line);
    auto* item =
        new QTreeWidgetItem{{fileText(std::string{stacks.text(frame.name)}), shortSource(source)}};
    item->setToolTip(1, plainTip(source));
    item->setData(kSource, Qt::UserRole, source);
    if (!memtrace::isProject(stacks, frame))
        for (const int column : {0, 1})
            item->setForeground(column, Theme::current().color(Role::Muted));
    return item;
}

} // namespace

Inspector::Inspector(QWidget* parent) : QWidget{parent}
{
    m_pages = new QStackedWidget{this};
    makeColumn(this)->addWidget(m_pages);
    auto* nothing =
        new QLabel{tr("No allocation selected. Click one in the map or in a table."), m_pages};
    nothing->setWordWrap(true);
    nothing->setAlignment(Qt::AlignTop);
    nothing->setMargin(Theme::current().px(12));
    nothing->setProperty("muted", true);
    m_pages->addWidget(nothing);
    auto* area = new QScrollArea{m_pages}; // in a low window
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget{area};
    auto* column = makeColumn(page, 6, {12, 10, 12, 8});
    m_name = new TextLabel{QString{}, TextRole::Head, Role::Text, page};
    column->addWidget(m_name);
    m_rule = new QLabel{page};
    m_rule->setWordWrap(true);
    m_rule->setProperty("muted", true);
    column->addWidget(m_rule);
    m_why = new QLabel{page};
    m_why->setWordWrap(true);
    m_why->setTextFormat(Qt::PlainText);
    column->addWidget(m_why);
    auto* facts = new QWidget{page};
    m_facts = makeForm(facts, 10, 3);
    column->addWidget(facts);
    m_stack = new QTreeWidget{page};
    m_stack->setHeaderHidden(true);
    m_stack->setColumnCount(2);
    m_stack->setRootIsDecorated(true);
    m_stack->setFrameShape(QFrame::NoFrame);
    m_stack->setMinimumHeight(Theme::current().px(kStackHeight));
    m_stack->setAccessibleName(tr("Stacks"));
    m_stack->header()->setStretchLastSection(false);
    m_stack->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_stack->header()->setSectionResizeMode(1, QHeaderView::Fixed);
    m_stack->header()->resizeSection(1, Theme::current().px(kSourceWidth));
    m_stack->setIndentation(Theme::current().px(12));
    m_stack->setTextElideMode(Qt::ElideMiddle);
    column->addWidget(m_stack, 1);
    area->setWidget(page);
    page->setAutoFillBackground(false); // else it would have the window's colour
    m_pages->addWidget(area);
    connect(m_stack, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        if (const QString source = item->data(kSource, Qt::UserRole).toString(); !source.isEmpty())
            Q_EMIT sourceWanted(source);
    });
}

QString Inspector::value(const QString& title) const
{
    const auto at = std::ranges::find(m_shown, title, &std::pair<QString, QString>::first);
    return at == m_shown.end() ? QString{} : at->second;
}

QString Inspector::rule() const
{
    return m_rule->text();
}

QString Inspector::why() const
{
    return m_why->text();
}

void Inspector::addTold(const workspace::ProfilePicture& picture, std::uint32_t allocation)
{
    const std::optional<waterfall::ToldAllocation> told = picture.told(allocation);
    m_why->setText(told ? fileText(told->why) : QString{});
    m_why->setVisible(told.has_value());
    if (!told) {
        if (picture.names)
            add(tr("Tensor"), tr("not known from the graph"));
        return;
    }
    add(tr("Tensor"), fileText(told->tensor));
    if (!told->shape.empty())
        add(tr("Shape"), fileText(told->shape));
    add(tr("Made by"),
        tr("%1, %2").arg(fileText(told->op),
                         told->isRecomputed ? tr("recomputed") : fileText(told->phase)));
    add(tr("Module"), told->module.empty() ? tr("outside of modules") : fileText(told->module));
}

void Inspector::add(const QString& title, const QString& value)
{
    m_shown.emplace_back(title, value);
    auto* label = new TextLabel{value, TextRole::Body, Role::Text, this};
    m_facts->addRow(new TextLabel{title, TextRole::Body, Role::Muted, this}, label);
}

void Inspector::addStack(const QString& title, const memtrace::StackTable& stacks,
                         memtrace::StackId stack)
{
    const auto frames = stacks.stack(stack);
    const std::optional<memtrace::FrameId> top = memtrace::topFrame(stacks, stack);
    auto* head = new QTreeWidgetItem{{title, {}}};
    head->setFont(0, Theme::current().font(TextRole::Strong));
    m_stack->addTopLevelItem(head);
    if (frames.empty()) {
        auto* none = new QTreeWidgetItem{{tr("No stack was recorded."), {}}};
        head->addChild(none);
        none->setFirstColumnSpanned(true);
    }
    if (top && stacks.frame(*top).isFromGraph) { // in place of frames of Python
        QTreeWidgetItem* told = frameItem(stacks, stacks.frame(*top));
        head->addChild(told);
        told->setFirstColumnSpanned(told->text(1).isEmpty());
    }
    // The project's frames first, each part innermost first; those of C++ folded below.
    auto* native = new QTreeWidgetItem{{QString{}, {}}};
    for (const bool isOwn : {true, false})
        for (const memtrace::FrameId id : frames) {
            const memtrace::Frame& frame = stacks.frame(id);
            if (frame.isFromGraph || memtrace::isProject(stacks, frame) != isOwn)
                continue;
            (memtrace::isPython(stacks, frame) ? head : native)->addChild(frameItem(stacks, frame));
        }
    native->setText(0, tr("%1 frames of C++").arg(native->childCount()));
    native->setForeground(0, Theme::current().color(Role::Muted));
    if (native->childCount() > 0)
        head->addChild(native);
    else
        delete native;
    head->setExpanded(true);
}

void Inspector::show(const workspace::ProfilePicturePtr& picture,
                     std::optional<std::uint32_t> allocation)
{
    m_shown.clear();
    while (m_facts->rowCount() > 0)
        m_facts->removeRow(0);
    m_stack->clear();
    m_pages->setCurrentIndex(allocation ? 1 : 0);
    if (!allocation)
        return;
    const memtrace::DeviceTrace& device = picture->device();
    const memtrace::Allocations& all = device.allocations();
    const memtrace::Place& place = device.placeOf(memtrace::AllocationId{*allocation});
    m_name->setText(stackText(*picture, *allocation));
    addTold(*picture, *allocation);
    add(tr("Class"), classText(*picture, *allocation));
    m_rule->setText(
        QString::fromLatin1(memtrace::ruleText(picture->facts.classes.ruleAt(*allocation))));
    add(tr("Phase"), fileText(picture->facts.phases.nameOf(*allocation)));
    add(tr("Size"), exactBytesText(base::Bytes{all.bytes[*allocation]}));
    if (const auto block = blockOf(device, *allocation))
        add(tr("Block"), exactBytesText(*block));
    add(tr("Address"), addressText(all.address[*allocation]));
    add(tr("Allocated"),
        eventText(*picture, all.allocEvent[*allocation], tr("before the recording")));
    const memtrace::EventIndex requested =
        device.freeRequested(memtrace::AllocationId{*allocation});
    const memtrace::EventIndex freed = all.freeEvent[*allocation];
    if (requested != memtrace::kNoEvent && requested != freed)
        add(tr("Free asked"), eventText(*picture, requested, {}));
    add(tr("Freed"), eventText(*picture, freed, tr("not within the recording")));
    add(tr("Lives"), lifeText(*picture, *allocation));
    add(tr("Stream"), streamText(device, place.stream));
    add(tr("Pool"), poolText(place));
    const memtrace::StackTable& stacks = picture->trace->stacks();
    addStack(tr("Allocated by"), stacks, memtrace::StackId{all.stack[*allocation]});
    if (!all.freeStack.empty() && freed != memtrace::kNoEvent)
        addStack(tr("Freed by"), stacks, memtrace::StackId{all.freeStack[*allocation]});
}

} // namespace plimsoll::ui
