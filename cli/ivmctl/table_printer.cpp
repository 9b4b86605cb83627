#include "cli/ivmctl/table_printer.h"

#include <algorithm>

namespace ivm::ctl {

namespace {

constexpr size_t kRowsThatSetWidths = 1000;
// A cell that is wider does not push the columns after it to the right in all other rows.
constexpr qsizetype kWidestColumn = 200;

}  // namespace

TablePrinter::TablePrinter(Terminal &terminal, QList<TableColumn> columns)
    : m_terminal(terminal), m_columns(std::move(columns))
{
}

void TablePrinter::row(const QStringList &cells)
{
    QStringList safe;
    for (const QString &cell : cells)
        safe.append(visible(cell));
    if (m_started)
        return print(safe);
    m_waiting.push_back(std::move(safe));
    if (m_waiting.size() == kRowsThatSetWidths)
        start();
}

void TablePrinter::start()
{
    m_started = true;
    QStringList headings;
    for (const auto &column : m_columns)
        headings.append(visible(column.heading));
    const auto widen = [&](const QStringList &cells) {
        for (qsizetype i = 0; i < cells.size(); ++i)
            m_widths[size_t(i)] =
                std::max(m_widths[size_t(i)], std::min(displayWidth(cells[i]), kWidestColumn));
    };
    m_widths.assign(size_t(m_columns.size()), 0);
    widen(headings);
    for (const auto &cells : m_waiting)
        widen(cells);
    print(headings, Colour::Bold);
    for (const auto &cells : m_waiting)
        print(cells);
    m_waiting.clear();
}

void TablePrinter::print(const QStringList &cells, Colour colour)
{
    QString line;
    for (qsizetype i = 0; i < cells.size(); ++i) {
        const QString padding(std::max<qsizetype>(m_widths[size_t(i)] - displayWidth(cells[i]), 0),
                              u' ');
        const bool isLast = i + 1 == cells.size();
        const QString cell = m_terminal.paint(colour, cells[i]);
        if (m_columns[i].align == Align::Right)
            line += padding + cell;
        else
            line += isLast ? cell : QString(cell + padding);
        if (!isLast)
            line += QStringLiteral("  ");
    }
    while (line.endsWith(u' '))
        line.chop(1);
    m_terminal.line(line);
}

void TablePrinter::finish()
{
    if (!m_started)
        start();
}

}  // namespace ivm::ctl
