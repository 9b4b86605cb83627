#include "plugins/detector_trino/trino_detector.h"

#include "plugins/detector_trino/file_changes.h"
#include "plugins/detector_trino/heads.h"
#include "plugins/detector_trino/live_files.h"

namespace ivm::trino {

Result<std::unique_ptr<Session>> TrinoDetector::openSession(const Call &call)
{
    IVM_TRY(Executor * executor, m_executor());
    return executor->openSession({}, call);
}

Result<QList<Result<TableHead>>> TrinoDetector::heads(const QList<HeadRequest> &requests,
                                                      const Call &call)
{
    if (requests.isEmpty())
        return QList<Result<TableHead>>();
    m_read.changes.forget();  // a new look begins
    IVM_TRY(const auto session, openSession(call));
    QList<TableName> tables;
    for (const auto &request : requests)
        tables.append(request.table);
    return readHeads(*session, tables, call);
}

Result<TableChanges> TrinoDetector::changes(const ChangesRequest &request, const Call &call)
{
    IVM_TRY(const auto session, openSession(call));
    return readChanges(*session, request, m_read, call);
}

Result<FileTotals> TrinoDetector::liveFiles(const LiveFilesRequest &request, const Call &call)
{
    IVM_TRY(const auto session, openSession(call));
    return readLiveFiles(*session, request, call);
}

}  // namespace ivm::trino
