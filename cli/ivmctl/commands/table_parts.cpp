#include "cli/ivmctl/commands/table_parts.h"

#include "cli/ivmctl/table_printer.h"
#include "framework/host/value_text.h"

namespace ivm::ctl {

namespace {

// A map's value as a number; NULL where it is not there.
Value countIn(const std::vector<Value> &map, QStringView key)
{
    for (size_t i = 0; i + 1 < map.size(); i += 2) {
        if (map[i].text() == key)
            return {map[i + 1].text().toLongLong()};
    }
    return {};
}

// A summary at the end becomes the counts in it.
Row withCounts(Row row)
{
    const auto *last = std::get_if<std::vector<Value>>(&row.back().data);
    if (!last)
        return row;
    const std::vector<Value> summary = *last;
    row.pop_back();
    for (const auto *key : {u"added-records", u"deleted-records", u"total-records"})
        row.push_back(countIn(summary, key));
    return row;
}

QString textOf(const Value &value, CellKind kind)
{
    if (value.isNull())
        return {};
    return kind == CellKind::Time ? timeText(value) : cellText(value);
}

QJsonValue jsonOf(const Value &value, CellKind kind)
{
    if (value.isNull())
        return {};
    const auto *number = std::get_if<qint64>(&value.data);
    return number && kind == CellKind::Number ? QJsonValue(*number)
                                              : QJsonValue(textOf(value, kind));
}

}  // namespace

TablePart snapshotsPart(const TableName &name)
{
    return {
        .option = QStringLiteral("--snapshots"),
        .member = QStringLiteral("snapshots"),
        .sql = QStringLiteral("SELECT committed_at, snapshot_id, parent_id, operation, "
                              "summary FROM %1 ORDER BY committed_at, snapshot_id")
                   .arg(name.quotedMetadataTable(u"snapshots")),
        .columns = {{QStringLiteral("COMMITTED"), QStringLiteral("committed_at"), CellKind::Time},
                    {QStringLiteral("SNAPSHOT"), QStringLiteral("id"), CellKind::Id},
                    {QStringLiteral("PARENT"), QStringLiteral("parent"), CellKind::Id},
                    {QStringLiteral("OPERATION"), QStringLiteral("operation")},
                    {QStringLiteral("ADDED"), QStringLiteral("rows_added"), CellKind::Number},
                    {QStringLiteral("DELETED"), QStringLiteral("rows_deleted"), CellKind::Number},
                    {QStringLiteral("TOTAL"), QStringLiteral("rows_total"), CellKind::Number}}};
}

TablePart filesPart(const TableName &name)
{
    return {.option = QStringLiteral("--files"),
            .member = QStringLiteral("data_files"),
            .sql = QStringLiteral("SELECT CASE content WHEN 0 THEN 'data' WHEN 1 THEN "
                                  "'position deletes' ELSE 'equality deletes' END, record_count, "
                                  "file_size_in_bytes, file_path FROM %1 ORDER BY 1, 4")
                       .arg(name.quotedMetadataTable(u"files")),
            .columns = {{QStringLiteral("CONTENT"), QStringLiteral("content")},
                        {QStringLiteral("ROWS"), QStringLiteral("rows"), CellKind::Number},
                        {QStringLiteral("BYTES"), QStringLiteral("bytes"), CellKind::Number},
                        {QStringLiteral("PATH"), QStringLiteral("path")}}};
}

QJsonArray partJson(const TablePart &part, const Rows &found)
{
    QJsonArray list;
    for (const auto &raw : found.rows) {
        const Row row = withCounts(raw);
        QJsonObject object;
        for (qsizetype i = 0; i < part.columns.size(); ++i)
            object.insert(part.columns[i].member, jsonOf(row[size_t(i)], part.columns[i].kind));
        list.append(object);
    }
    return list;
}

void printPart(Terminal &terminal, const TablePart &part, const Rows &found)
{
    QList<TableColumn> headings;
    for (const auto &column : part.columns) {
        const bool isNumber = column.kind == CellKind::Number || column.kind == CellKind::Id;
        headings.append({column.heading, isNumber ? Align::Right : Align::Left});
    }
    TablePrinter table(terminal, headings);
    for (const auto &raw : found.rows) {
        const Row row = withCounts(raw);
        QStringList cells;
        for (qsizetype i = 0; i < part.columns.size(); ++i)
            cells.append(textOf(row[size_t(i)], part.columns[i].kind));
        table.row(cells);
    }
    table.finish();
}

}  // namespace ivm::ctl
