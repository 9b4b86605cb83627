// The detector for tables that Trino reads.
//
// Threads: any; each call opens a session of its own in the calling thread.
// Lifetime: until the process ends; the executor outlives it.
#pragma once

#include "framework/api/plugin.h"
#include "plugins/detector_trino/file_changes.h"

namespace ivm::trino {

class TrinoDetector final : public Detector {
public:
    explicit TrinoDetector(ExecutorProvider executor) : m_executor(std::move(executor)) {}

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &call) override;
    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override;
    Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) override;

private:
    Result<std::unique_ptr<Session>> openSession(const Call &call);

    const ExecutorProvider m_executor;
    ChangesRead m_read;
};

}  // namespace ivm::trino
