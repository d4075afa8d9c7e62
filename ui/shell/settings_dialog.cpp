// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/settings_dialog.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/document_page/source_editor.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr QSize kSize{640, 480};
constexpr int kListWidth = 150;
constexpr int kScaleStep = 5;

/// A combo box that shows and changes a setting.
template <typename T>
QComboBox* choice(Settings& settings, const std::vector<std::pair<QString, T>>& values,
                  T (Settings::*get)() const, void (Settings::*set)(T),
                  void (Settings::*changed)(T))
{
    auto* box = new QComboBox;
    for (const auto& [text, value] : values)
        box->addItem(text, static_cast<int>(value));
    const auto show = [box](T now) { box->setCurrentIndex(box->findData(static_cast<int>(now))); };
    show((settings.*get)());
    QObject::connect(&settings, changed, box, show);
    QObject::connect(box, &QComboBox::activated, &settings, [box, &settings, set](int row) {
        (settings.*set)(static_cast<T>(box->itemData(row).toInt()));
    });
    return box;
}

} // namespace

SettingsDialog::SettingsDialog(Settings& settings, QWidget* parent)
    : QDialog{parent}, m_settings{settings}
{
    setManualPage(*this, QStringLiteral("window.md#settings"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Settings"));
    buildFrame();
    buildGeneral();
    buildAppearance();
    buildEditor();
    connect(m_search, &QLineEdit::textChanged, this, &SettingsDialog::find);
    connect(m_list, &QListWidget::currentRowChanged, this, &SettingsDialog::showPage);
    m_list->setCurrentRow(0);
    const Theme& theme = Theme::current();
    resize(theme.px(kSize.width()), theme.px(kSize.height()));
    m_search->setFocus();
}

void SettingsDialog::buildFrame()
{
    const Theme& theme = Theme::current();
    auto* column = makeColumn(this, 12, {12, 12, 12, 12});
    m_search = new QLineEdit{this};
    m_search->setPlaceholderText(tr("Search settings…"));
    m_search->setAccessibleName(tr("Search settings"));
    m_search->setAccessibleDescription(tr("Filters settings by the typed text."));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    column->addWidget(m_search);
    auto* row = makeRow(nullptr, 12);
    m_list = new QListWidget{this};
    m_list->setAccessibleName(tr("Pages"));
    m_list->setAccessibleDescription(tr("Pages of the settings."));
    m_list->setFixedWidth(theme.px(kListWidth));
    row->addWidget(m_list);
    m_stack = new QStackedWidget{this};
    m_stack->setProperty("ground", QStringLiteral("panel"));
    row->addWidget(m_stack, 1);
    column->addLayout(row, 1);
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close, this};
    m_restore = buttons->addButton(tr("Restore defaults"), QDialogButtonBox::ResetRole);
    for (QPushButton* button : buttons->findChildren<QPushButton*>()) {
        button->setAutoDefault(false);
        button->setIcon({});
    }
    connect(m_restore, &QPushButton::clicked, this,
            [this] { m_pages[static_cast<std::size_t>(m_stack->currentIndex())].restore(); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    column->addWidget(buttons);
}

void SettingsDialog::addPage(const QString& title, std::function<void()> restore)
{
    const Theme& theme = Theme::current();
    auto* body = new QWidget;
    auto* column = makeColumn(body, 12, {16, 12, 16, 12});
    column->addWidget(new TextLabel{title, TextRole::Head, Role::Text, body});
    auto* form = makeForm(nullptr, 16, 16);
    column->addLayout(form);
    auto* nothing =
        new TextLabel{tr("No setting on this page matches."), TextRole::Body, Role::Muted, body};
    nothing->hide();
    column->addWidget(nothing);
    column->addStretch(1);
    m_stack->addWidget(body);
    auto* item = new QListWidgetItem{title, m_list};
    item->setSizeHint({0, theme.rowHeight(24)});
    m_pages.push_back({title, form, nothing, std::move(restore)});
}

void SettingsDialog::addRow(const QString& title, const QString& sentence, QWidget* control)
{
    const Page& page = m_pages.back();
    auto* box = new QWidget;
    auto* column = makeColumn(box, 4);
    control->setAccessibleName(title);
    control->setAccessibleDescription(sentence);
    for (QLineEdit* inner : control->findChildren<QLineEdit*>()) // of a spin box
        inner->setAccessibleName(title);
    column->addWidget(control);
    auto* hint = new QLabel{sentence, box};
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(hint);
    auto* label = new TextLabel{title, TextRole::Body, Role::Muted, box};
    page.form->addRow(label, box);
    m_rows.push_back({static_cast<int>(m_pages.size()) - 1,
                      (page.title + u' ' + title + u' ' + sentence).toLower(), label, box});
}

void SettingsDialog::buildGeneral()
{
    addPage(tr("General"), {}); // nothing on it has a default
    auto* forget = new QPushButton;
    forget->setAutoDefault(false);
    const auto follow = [this, forget] {
        const auto count = m_settings.recentFiles().size();
        forget->setText(count == 0   ? tr("No recent files")
                        : count == 1 ? tr("Forget 1 file")
                                     : tr("Forget %1 files").arg(count));
        forget->setEnabled(count > 0);
    };
    connect(&m_settings, &Settings::recentFilesChanged, forget, follow);
    connect(forget, &QPushButton::clicked, this, [this] { m_settings.forgetRecentFiles(); });
    follow();
    addRow(tr("Recent files"),
           tr("The list on the start page and in the File menu. The files themselves are kept."),
           forget);
}

void SettingsDialog::buildEditor()
{
    addPage(tr("Editor"), [this] {
        m_settings.setEditor({});
        m_settings.setEditorCommand({});
    });
    auto* editor = new QComboBox;
    editor->setObjectName(QStringLiteral("editor"));
    editor->addItem(tr("First one installed, or the command below"), QString{});
    for (const SourceEditor& known : sourceEditors())
        editor->addItem(known.name, known.id);
    const auto show = [this, editor] {
        editor->setCurrentIndex(std::max(0, editor->findData(m_settings.editor())));
    };
    show();
    connect(&m_settings, &Settings::editorChanged, editor, show);
    connect(editor, &QComboBox::activated, &m_settings,
            [this, editor](int row) { m_settings.setEditor(editor->itemData(row).toString()); });
    addRow(tr("Editor"), tr("Opens source lines of plans."), editor);
    auto* command = new QLineEdit{m_settings.editorCommand()};
    command->setObjectName(QStringLiteral("editorCommand"));
    command->setPlaceholderText(QStringLiteral("gedit +{line} {file}"));
    connect(&m_settings, &Settings::editorCommandChanged, command, &QLineEdit::setText);
    connect(command, &QLineEdit::editingFinished, &m_settings,
            [this, command] { m_settings.setEditorCommand(command->text()); });
    addRow(tr("Editor command"),
           tr("A program and its arguments, with {file} and {line}. It is not run by a shell."),
           command);
}

void SettingsDialog::buildAppearance()
{
    addPage(tr("Appearance"), [this] {
        m_settings.setTheme(ThemeChoice::System);
        m_settings.setScalePercent(100);
        m_settings.setPatterns(PatternStrength::Normal);
    });
    addRow(tr("Theme"), tr("Colours of the window and of exported pictures."),
           choice<ThemeChoice>(m_settings,
                               {{tr("Follow system"), ThemeChoice::System},
                                {tr("Light"), ThemeChoice::Light},
                                {tr("Dark"), ThemeChoice::Dark}},
                               &Settings::theme, &Settings::setTheme, &Settings::themeChanged));

    auto* scale = new QSpinBox;
    scale->setRange(75, 300);
    scale->setSingleStep(kScaleStep);
    scale->setSuffix(QStringLiteral("\u00a0%"));
    scale->setKeyboardTracking(false); // "1" typed on the way to "150" isn't meant
    scale->setValue(m_settings.scalePercent());
    connect(scale, &QSpinBox::valueChanged, &m_settings, &Settings::setScalePercent);
    connect(&m_settings, &Settings::scalePercentChanged, scale, &QSpinBox::setValue);
    addRow(tr("Scale"),
           tr("Size of text and everything else, 75 to 300 %. Ctrl++ and Ctrl+- change it too."),
           scale);

    addRow(tr("Patterns"),
           tr("Lines and dots that tell the classes of memory apart without colour."),
           choice<PatternStrength>(m_settings,
                                   {{tr("Off"), PatternStrength::Off},
                                    {tr("Normal"), PatternStrength::Normal},
                                    {tr("Strong"), PatternStrength::Strong}},
                                   &Settings::patterns, &Settings::setPatterns,
                                   &Settings::patternsChanged));
}

void SettingsDialog::find(const QString& text)
{
    const QStringList words = text.toLower().simplified().split(u' ', Qt::SkipEmptyParts);
    std::vector<int> hits(m_pages.size(), 0);
    for (const Row& row : m_rows) {
        const bool matches = std::ranges::all_of(
            words, [&row](const QString& word) { return row.words.contains(word); });
        row.label->setVisible(matches);
        row.box->setVisible(matches);
        hits[static_cast<std::size_t>(row.page)] += matches ? 1 : 0;
    }
    int first = -1;
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        const int page = static_cast<int>(i);
        m_pages[i].nothing->setVisible(hits[i] == 0);
        m_list->item(page)->setHidden(hits[i] == 0);
        if (hits[i] > 0 && first < 0)
            first = page;
    }
    const int current = m_list->currentRow();
    if (first >= 0 && (current < 0 || hits[static_cast<std::size_t>(current)] == 0))
        m_list->setCurrentRow(first);
}

void SettingsDialog::showPage(int page)
{
    if (page < 0)
        return;
    m_stack->setCurrentIndex(page);
    m_restore->setEnabled(m_pages[static_cast<std::size_t>(page)].restore != nullptr);
    m_restore->setToolTip(
        tr("Restore the defaults of %1").arg(m_pages[static_cast<std::size_t>(page)].title));
}

void SettingsDialog::keyPressEvent(QKeyEvent* event)
{
    // Esc goes back one level: it clears the search first.
    if (event->key() == Qt::Key_Escape && !m_search->text().isEmpty()) {
        m_search->clear();
        return;
    }
    QDialog::keyPressEvent(event);
}

} // namespace plimsoll::ui
