// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLineEdit;
class QPushButton;

namespace plimsoll::ui {

class FilterChip;
class TextLabel;

/// The terms of a profile's filter as chips, a field to add or edit one, and how many allocations
/// the filter keeps.
class FilterBar : public QWidget
{
    Q_OBJECT

public:
    explicit FilterBar(QWidget* parent = nullptr);

    /// The filter that is set, and the picture it is applied to, which may be an older one.
    void show(const memtrace::Filter& filter, const workspace::ProfilePicturePtr& picture);
    /// Opens the field for a new term.
    void add(memtrace::FilterField field = memtrace::FilterField::Class);
    /// Esc: closes the field, else removes all terms; false: there was nothing.
    [[nodiscard]] bool goBack();
    [[nodiscard]] const std::vector<FilterChip*>& chips() const { return m_chips; }
    [[nodiscard]] QLineEdit& value() const { return *m_value; }
    [[nodiscard]] QComboBox& field() const { return *m_field; }
    /// "1,864 of 48,312 allocations · 9.41 of 14.28 GiB at the peak", or what is wrong with the
    /// value.
    [[nodiscard]] QString text() const;

Q_SIGNALS:
    void filterWanted(const QString& undoName, const memtrace::Filter& filter);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void edit(std::size_t term);
    void suggest();
    void accept();
    void closeField();
    void showCount();

    memtrace::Filter m_filter;
    workspace::ProfilePicturePtr m_picture;
    QHBoxLayout* m_row = nullptr;
    QHBoxLayout* m_chipRow = nullptr;
    std::vector<FilterChip*> m_chips;
    QPushButton* m_add = nullptr;
    QComboBox* m_field = nullptr; ///< hidden, as the next, unless a term is edited
    QLineEdit* m_value = nullptr;
    TextLabel* m_count = nullptr;
    QPushButton* m_reset = nullptr;
    std::optional<std::size_t> m_edited; ///< the term that the field replaces; none: a new one
};

} // namespace plimsoll::ui
