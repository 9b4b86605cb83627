// A detector that asks a second one about tables whose metadata the first cannot read: files on
// another machine or in an object store, of which the engine can tell.
//
// Threads: as the detectors'. Lifetime: until the process ends. Both must name one state of a table
// by one token.
#pragma once

#include "framework/api/detector.h"

#include <functional>
#include <memory>
#include <mutex>

namespace ivm {

class FallbackDetector final : public Detector {
public:
    using Make = std::function<Result<std::unique_ptr<Detector>>()>;

    // The second is made when it is first needed. Its errors in being made are the tables'.
    FallbackDetector(std::unique_ptr<Detector> first, Make makeSecond)
        : m_first(std::move(first)), m_makeSecond(std::move(makeSecond))
    {
    }

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &call) override;
    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override;
    Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) override;

private:
    Result<Detector *> second();
    Result<QList<Result<TableHead>>> secondHeads(const QList<HeadRequest> &requests,
                                                 const Call &call);

    std::unique_ptr<Detector> m_first;
    Make m_makeSecond;
    std::mutex m_mutex;
    std::unique_ptr<Detector> m_second;
};

}  // namespace ivm
