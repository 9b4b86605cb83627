// Says whether a view's table holds what the view's query gives, without any code of a refresh or a
// verify: both are read whole, and compared as bags of rows in memory.
#pragma once

#include "framework/api/executor.h"
#include "framework/api/change.h"

#include <QMap>

#include <algorithm>
#include <cmath>

namespace ivm::test {

class Oracle {
public:
    explicit Oracle(QList<OutputColumn> outputs) : m_outputs(std::move(outputs)) {}

    // Empty when they are equal, else what differs first, for people.
    QString difference(const Rows &wanted, const Rows &stored) const
    {
        const auto left = byKey(wanted);
        auto right = byKey(stored);
        for (const auto &[key, row] : left.asKeyValueRange()) {
            if (left.count(key) > 1)
                return QStringLiteral("the query gives the key %1 twice").arg(key);
            if (right.count(key) != 1)
                return QStringLiteral("key %1: the query has 1 row, the table %2")
                    .arg(key)
                    .arg(right.count(key));
            if (const QString how = rowDifference(row, right.value(key)); !how.isEmpty())
                return QStringLiteral("key %1: %2").arg(key, how);
            right.remove(key);
        }
        if (!right.isEmpty())
            return QStringLiteral("key %1: the table has a row that the query does not give")
                .arg(right.firstKey());
        return {};
    }

private:
    QMultiMap<QString, Row> byKey(const Rows &rows) const
    {
        QMultiMap<QString, Row> map;
        for (const auto &row : rows.rows)
            map.insert(keyOf(row), row);
        return map;
    }

    QString keyOf(const Row &row) const
    {
        QStringList parts;
        for (qsizetype i = 0; i < m_outputs.size(); ++i) {
            if (m_outputs[i].columnClass == ColumnClass::Key)
                parts.append(QString::number(row[size_t(i)].data.index()) + u':' +
                             row[size_t(i)].text());
        }
        return parts.join(u'|');
    }

    QString rowDifference(const Row &wanted, const Row &stored) const
    {
        for (qsizetype i = 0; i < m_outputs.size(); ++i) {
            if (!sameValue(m_outputs[i].columnClass, wanted[size_t(i)], stored[size_t(i)]))
                return QStringLiteral("%1 is %2 in the table, %3 in the query")
                    .arg(m_outputs[i].name, stored[size_t(i)].text(), wanted[size_t(i)].text());
        }
        return {};
    }

    static bool sameValue(ColumnClass columnClass, const Value &wanted, const Value &stored)
    {
        const auto *a = std::get_if<double>(&wanted.data);
        const auto *b = std::get_if<double>(&stored.data);
        if (columnClass == ColumnClass::Float && a && b && std::isfinite(*a) && std::isfinite(*b))
            return std::abs(*a - *b) <= 1e-9 * std::max({std::abs(*a), std::abs(*b), 1e-300});
        return wanted == stored;
    }

    QList<OutputColumn> m_outputs;
};

}  // namespace ivm::test
