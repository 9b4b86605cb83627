#include "plugins/detector_trino/live_files.h"

#include "plugins/detector_trino/cells.h"
#include "plugins/detector_trino/file_bounds.h"
#include "plugins/detector_trino/visible_files.h"

#include <algorithm>

namespace ivm::trino {

namespace {

QString filesSql(const LiveFilesRequest &request)
{
    const auto metric = [&](QStringView map) {
        return QStringLiteral("element_at(%1, %2)").arg(map).arg(request.column.fieldId);
    };
    const QStringList select{QStringLiteral("record_count"), QStringLiteral("file_size_in_bytes"),
                             metric(u"lower_bounds"),        metric(u"upper_bounds"),
                             metric(u"value_counts"),        metric(u"null_value_counts")};
    return QStringLiteral("SELECT ") + select.join(QStringLiteral(", ")) +
           QStringLiteral(" FROM ") + request.table.quotedMetadataTable(u"files") +
           QStringLiteral(" WHERE content = 0");
}

}  // namespace

Result<FileTotals> readLiveFiles(Session &session, const LiveFilesRequest &request,
                                 const Call &call)
{
    FileTotals totals;
    const auto take = [&](const Row &row) {
        const qint64 records = wholeIn(row, 0).value_or(0);
        const FileBounds bounds = boundsFromMetrics(
            request.column.type, {textIn(row, 2), textIn(row, 3), wholeIn(row, 4), wholeIn(row, 5)},
            records);
        const bool isMeant = std::ranges::any_of(
            request.within, [&](const FileBounds &interval) { return mayHold(bounds, interval); });
        if (!isMeant)
            return;
        totals.add({.path = {},
                    .records = records,
                    .bytes = wholeIn(row, 1).value_or(0),
                    .bounds = bounds});
    };
    RowSink sink{.row = [&](Row &&row) -> Status {
        take(row);
        return {};
    }};
    auto ran = session.run(filesSql(request), sink, call);
    if (ran)
        return totals;
    if (!isUnreadable(ran.error()))
        return fail(std::move(ran).error());
    return visibleTotals(session, request.table, call);
}

}  // namespace ivm::trino
