// Reads rows of the stores' tables, cell by cell in the order of their columns.
//
// Pure; any thread. Corrupt, naming the table and the column, for what no program of ours writes.
#pragma once

#include "framework/api/rows.h"

#include <QDateTime>

namespace ivm::store_iceberg {

// Takes the cells of one row in their order. What is NULL is empty, 0 or no time.
class Cells {
public:
    Cells(QStringView table, const QList<Column> &columns, const Row &row)
        : m_table(table), m_columns(columns), m_row(row)
    {
    }

    QString text() { return take<QString>(); }
    qint64 number() { return take<qint64>(); }
    // "2001-01-31 12:00:00.000000 UTC"
    QDateTime time()
    {
        constexpr qsizetype kToMilliseconds = 23;
        const QString written = take<QString>();
        if (written.isEmpty())
            return {};
        auto time = QDateTime::fromString(written.left(kToMilliseconds),
                                          QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
        time.setTimeSpec(Qt::UTC);
        if (!time.isValid() || !written.endsWith(QStringLiteral(" UTC")))
            complain();
        return time;
    }
    double real() { return take<double>(); }

    // Of the cell that was taken last: it is none of ours.
    void complain()
    {
        const size_t index = m_next - 1;
        if (m_problem.isEmpty())
            m_problem = QStringLiteral("table %1: column %2 holds '%3', which iceberg-ivm does not "
                                       "write")
                            .arg(m_table, m_columns.value(qsizetype(index)).name,
                                 m_row[index].text().left(60));
    }

    template <typename T>
    Result<T> whole(T value) const
    {
        if (m_problem.isEmpty())
            return value;
        return fail(corruptError(m_problem).withHint(
            u"Another program has changed the table; repair the row or the column by hand"));
    }

private:
    template <typename T>
    T take()
    {
        const size_t index = m_next++;
        if (index >= m_row.size() || m_row[index].isNull())
            return {};
        const auto *value = std::get_if<T>(&m_row[index].data);
        if (!value)
            complain();
        return value ? *value : T{};
    }

    QStringView m_table;
    const QList<Column> &m_columns;
    const Row &m_row;
    size_t m_next = 0;
    QString m_problem;
};

template <typename T>
Result<QList<T>> readAll(QStringView table, const Rows &rows, Result<T> (*read)(Cells &cells))
{
    QList<T> out;
    for (const auto &row : rows.rows) {
        Cells cells(table, rows.columns, row);
        IVM_TRY(T one, read(cells));
        out.append(std::move(one));
    }
    return out;
}

}  // namespace ivm::store_iceberg
