#include "plugins/store_iceberg/together.h"

#include <QStringList>

namespace ivm::store_iceberg {

namespace {

// Where the parts' columns stand in the common rows: columns of one type share a slot.
struct Layout {
    QList<Type> slotTypes;
    QList<QList<qsizetype>> places;  // of each part, the slot of each of its columns
};

Layout layoutOf(const QList<Part> &parts)
{
    Layout out;
    for (const auto &part : parts) {
        QList<qsizetype> places;
        for (const auto &column : part.columns) {
            qsizetype slot = 0;
            while (slot < out.slotTypes.size() &&
                   (out.slotTypes[slot] != column.type || places.contains(slot)))
                ++slot;
            if (slot == out.slotTypes.size())
                out.slotTypes.append(column.type);
            places.append(slot);
        }
        out.places.append(places);
    }
    return out;
}

}  // namespace

QString togetherSql(const QList<Part> &parts)
{
    const Layout layout = layoutOf(parts);
    QStringList selects;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        QStringList cells;
        for (const auto &type : layout.slotTypes)
            cells.append(QStringLiteral("CAST(NULL AS %1)").arg(type.text()));
        const auto &columns = parts[i].columns;
        for (qsizetype column = 0; column < columns.size(); ++column)
            cells[layout.places[i][column]] = quotedIdentifier(columns[column].name);
        selects.append(
            QStringLiteral("SELECT %1 AS part, %2 FROM (%3) AS p")
                .arg(QString::number(i), cells.join(QStringLiteral(", ")), parts[i].sql));
    }
    return selects.join(QStringLiteral("\nUNION ALL\n"));
}

Result<QList<Rows>> apart(const QList<Part> &parts, Rows rows)
{
    const Layout layout = layoutOf(parts);
    QList<Rows> out;
    for (const auto &part : parts)
        out.append({.columns = part.columns, .rows = {}});
    for (auto &row : rows.rows) {
        const auto *part = row.empty() ? nullptr : std::get_if<qint64>(&row.front().data);
        if (!part || *part < 0 || *part >= parts.size() ||
            qsizetype(row.size()) != layout.slotTypes.size() + 1)
            return fail(corruptError(QStringLiteral("a row is of no part of its statement")));
        Row own;
        for (const qsizetype place : layout.places[*part])
            own.push_back(std::move(row[size_t(place) + 1]));
        out[*part].rows.push_back(std::move(own));
    }
    return out;
}

}  // namespace ivm::store_iceberg
