// A table of ours with real Parquet files (id bigint, ts timestamp(6), part varchar by day(ts)).
//
// One thread. Uses the warehouse and the peer, which outlive it.
#pragma once

#include "plugins/detector_catalog/catalog_detector.h"
#include "tests/interop/iceberg/peer.h"
#include "tests/unit/iceberg/warehouse.h"

namespace ivm::test {

struct TestRow {
    qint64 id = 0;
    std::optional<qint64> ts;  // microseconds
    QString part;
};

inline QJsonArray toJson(const QList<TestRow> &rows)
{
    QJsonArray out;
    for (const auto &row : rows)
        out.append(QJsonArray{row.id, row.ts ? QJsonValue(*row.ts) : QJsonValue(), row.part});
    return out;
}

// Adds one column's value to a file's metrics.
inline void addValue(DataFile &file, int fieldId, const FieldType &type, const Literal &value)
{
    ++file.valueCounts[fieldId];
    file.nullValueCounts[fieldId] += value.isNull() ? 1 : 0;
    if (value.isNull())
        return;
    const auto edge = [&](QMap<int, QByteArray> &bounds, bool isLower) {
        const auto known = bounds.constFind(fieldId);
        const auto current =
            known == bounds.cend() ? value : valueOf(literalFromBytes(type, *known));
        const bool isNew =
            isLower ? literalLess(type, value, current) : literalLess(type, current, value);
        if (known == bounds.cend() || isNew)
            bounds.insert(fieldId, literalToBytes(type, value));
    };
    edge(file.lowerBounds, true);
    edge(file.upperBounds, false);
}

// Writes a Parquet file with the rows, which are all of one day, and describes it.
inline DataFile writeFile(Peer &peer, const Table &table, const QList<TestRow> &rows)
{
    DataFile file{.path = newDataFileLocation(table.metadata),
                  .specId = table.metadata.defaultSpecId,
                  .recordCount = rows.size()};
    const auto answer = peer.ask(QStringLiteral("parquet"),
                                 {{QStringLiteral("path"), valueOf(localPath(file.path))},
                                  {QStringLiteral("rows"), toJson(rows)}});
    if (answer.contains(u"error"))
        qFatal("%s", qPrintable(answer.value(u"error").toString()));
    file.sizeInBytes = answer.value(u"size").toInteger();
    for (const auto &row : rows) {
        const Literal ts = row.ts ? Literal{*row.ts} : Literal{};
        addValue(file, 1, {.id = TypeId::Long}, {row.id});
        addValue(file, 2, {.id = TypeId::Timestamp}, ts);
        addValue(file, 3, {.id = TypeId::String}, {row.part});
        const auto day =
            applyTransform(makeTransform(Transform::Day), {.id = TypeId::Timestamp}, ts);
        file.partition = {valueOf(day)};
    }
    for (int id = 1; id <= 3; ++id)
        file.columnSizes.insert(id, 100);
    return file;
}

// What a detector finds between two states, "role lower..upper" a file, sorted; or why it cannot.
inline QStringList changesBetween(const QString &database, const Table &from, const Table &to)
{
    catalog::CatalogDetector detector({.database = database});
    const auto changes = valueOf(detector.changes({.table = to.name,
                                                   .from = from.head(),
                                                   .to = to.head(),
                                                   .column = QStringLiteral("id"),
                                                   .columns = {}},
                                                  {}));
    if (changes.unmeasurable)
        return {*changes.unmeasurable};
    static const char *kRoles[] = {"added", "removed", "deleted from"};
    const auto end = [](std::optional<qint64> value) {
        return value ? QString::number(*value) : QStringLiteral("?");
    };
    QStringList texts;
    for (const auto &file : changes.files)
        texts.append(QStringLiteral("%1 %2..%3")
                         .arg(QString::fromLatin1(kRoles[int(file.role)]), end(file.bounds.lower),
                              end(file.bounds.upper)));
    texts.sort();
    return texts;
}

}  // namespace ivm::test
