// A detector that asks the executor where tables stand, by SQL over Iceberg's metadata tables.
//
// It tells that a table changed, and not where: a view is then recomputed whole, and only the rows
// that differ are written. For refreshes of the touched ranges alone, let changes() name the files.
// Threads: any; each call opens a session. Lifetime: until the process ends.
#pragma once

#include "framework/api/plugin.h"

namespace example_plugin {

class ExampleDetector final : public ivm::Detector {
public:
    explicit ExampleDetector(ivm::ExecutorProvider executor) : m_executor(std::move(executor)) {}

    ivm::Result<QList<ivm::Result<ivm::TableHead>>> heads(const QList<ivm::HeadRequest> &requests,
                                                          const ivm::Call &call) override;
    ivm::Result<ivm::TableChanges> changes(const ivm::ChangesRequest &request,
                                           const ivm::Call &call) override;
    ivm::Result<ivm::FileTotals> liveFiles(const ivm::LiveFilesRequest &request,
                                           const ivm::Call &call) override;

private:
    ivm::Result<std::unique_ptr<ivm::Session>> session(const ivm::Call &call) const;

    ivm::ExecutorProvider m_executor;
};

}  // namespace example_plugin
