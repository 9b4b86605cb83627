// The source of a history's views, as the statements that make and change it: everything that
// people do to a table, in any order.
//
// The name of the table is written '@' in every statement: each writer has another name for it.
// Plain SQL as Trino writes it. One thread; `dice` outlives it.
#pragma once

#include "framework/api/table.h"
#include "tests/e2e/history/dice.h"

#include <QStringList>

namespace ivm::test {

// Whether a table may also be of format version 1, which takes no row-level changes.
enum class FormatV1 { Never, Sometimes };

class SourceTable {
public:
    SourceTable(Dice &dice, FormatV1 formatV1) : m_dice(dice), m_formatV1(formatV1) {}

    // Makes the table, with rows.
    QStringList create();
    // One change; statements that belong together.
    QStringList change();
    // Whether what was given last leaves a table of format version 1.
    bool isV1() const { return m_isV1; }
    // Remembers a snapshot of the table, to roll back to.
    void sawHead(const std::optional<SnapshotId> &head);

private:
    QStringList appendRows();
    QStringList changeRows();
    QStringList deleteRows();
    QStringList mergeRows();
    QStringList moveFiles();
    QStringList changeColumns();
    QStringList changeLayout();
    QStringList startAgain();

    QString insert(int rows, const QString &base = {});
    QString row(const QString &base);
    QString partitioning();
    QString instant(int dayRange, QStringView zone = {});
    QString letter() { return QString(QChar(u'a' + m_dice.pick(4))); }
    QString orNull(int oneIn, const QString &value);

    Dice &m_dice;
    FormatV1 m_formatV1;
    bool m_isV1 = false;
    bool m_isWide = false;
    int m_extraColumns = 0;
    int m_fields = 0;
    int m_nextValue = 0;
    QList<SnapshotId> m_snapshots;
};

}  // namespace ivm::test
