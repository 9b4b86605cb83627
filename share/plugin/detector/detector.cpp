#include "detector.h"

#include "framework/sqlexec/table_look.h"

using namespace ivm;

namespace example_plugin {

namespace {

qint64 numberOf(const Value &value)
{
    const auto *number = std::get_if<qint64>(&value.data);
    return number ? *number : 0;
}

}  // namespace

Result<std::unique_ptr<Session>> ExampleDetector::session(const Call &call) const
{
    IVM_CHECK(call.check(u"looking for changes"));
    IVM_TRY(auto *executor, m_executor());
    return executor->openSession({.purpose = QStringLiteral("looking for changes")}, call);
}

// One statement a table. Where a poll should cost one statement in all, join them by UNION ALL, and
// ask again one by one when a table is missing.
Result<QList<Result<TableHead>>> ExampleDetector::heads(const QList<HeadRequest> &requests,
                                                        const Call &call)
{
    IVM_TRY(const auto open, session(call));
    QList<Result<TableHead>> out;
    for (const auto &request : requests) {
        auto look = lookAtHead(*open, request.table, call);
        if (!look && look.error().kind == ErrorKind::NotFound)
            out.append(fail(notFoundError(
                QStringLiteral("table %1 does not exist").arg(request.table.text()))));
        else if (!look)
            out.append(fail(look.error()));
        else
            out.append(look->head);
    }
    IVM_CHECK(call.check(u"looking for changes"));
    return out;
}

// Equal ends have nothing between them. All else cannot be told from what is asked here.
Result<TableChanges> ExampleDetector::changes(const ChangesRequest &request, const Call &call)
{
    IVM_TRY(const auto open, session(call));
    IVM_TRY(const auto info, open->tableInfo(request.table, call));
    TableChanges out;
    for (const QString &name : request.columns) {
        for (const auto &column : info.columns) {
            if (column.name == name)
                out.columns.append(column);
        }
    }
    if (request.from != request.to)
        out.unmeasurable = QStringLiteral("the detector tells that %1 changed, and not where")
                               .arg(request.table.text());
    return out;
}

Result<FileTotals> ExampleDetector::liveFiles(const LiveFilesRequest &request, const Call &call)
{
    IVM_TRY(const auto open, session(call));
    const QString sql =
        QStringLiteral("SELECT record_count, file_size_in_bytes FROM %1 WHERE content = 0")
            .arg(request.table.quotedMetadataTable(u"files"));
    IVM_TRY(const auto rows, query(*open, sql, call));
    FileTotals totals;
    for (const auto &row : rows.rows)
        totals.add({.records = numberOf(row[0]), .bytes = numberOf(row[1])});
    return totals;
}

}  // namespace example_plugin
