// Lines up rows of text under their headings, with as little kept in memory as that takes.
//
// The widths follow from the first rows; of a long result the rows after them are printed as they
// come. Threads: the main thread.
#pragma once

#include "cli/ivmctl/terminal.h"

#include <QStringList>

#include <vector>

namespace ivm::ctl {

enum class Align { Left, Right };

struct TableColumn {
    QString heading;
    Align align = Align::Left;
};

class TablePrinter {
public:
    TablePrinter(Terminal &terminal, QList<TableColumn> columns);

    // One cell a column, as it is; it is made visible here.
    void row(const QStringList &cells);
    // Prints what was held back. Call it last; a table without rows prints its headings.
    void finish();

private:
    void start();
    void print(const QStringList &cells, Colour colour = Colour::Plain);

    Terminal &m_terminal;
    QList<TableColumn> m_columns;
    std::vector<QStringList> m_waiting;
    std::vector<qsizetype> m_widths;
    bool m_started = false;
};

}  // namespace ivm::ctl
