#include "framework/host/fallback_detector.h"

namespace ivm {

namespace {

bool isOutOfReach(const Error &error) { return error.code == kMetadataOutOfReach; }

}  // namespace

Result<Detector *> FallbackDetector::second()
{
    const std::lock_guard lock(m_mutex);
    if (!m_second) {
        IVM_TRY(m_second, m_makeSecond());
    }
    return m_second.get();
}

Result<QList<Result<TableHead>>> FallbackDetector::heads(const QList<HeadRequest> &requests,
                                                         const Call &call)
{
    IVM_TRY(auto heads, m_first->heads(requests, call));
    QList<HeadRequest> left;
    QList<qsizetype> places;
    for (qsizetype i = 0; i < heads.size(); ++i) {
        if (heads[i] || !isOutOfReach(heads[i].error()))
            continue;
        left.append(requests[i]);
        places.append(i);
    }
    if (left.isEmpty())
        return heads;
    const auto answers = secondHeads(left, call);
    IVM_CHECK(call.check(u"looking at the heads"));
    // Where the second knows nothing the others still stand.
    for (qsizetype i = 0; i < places.size(); ++i)
        heads[places[i]] = answers ? answers->at(i) : fail(answers.error());
    return heads;
}

Result<QList<Result<TableHead>>> FallbackDetector::secondHeads(const QList<HeadRequest> &requests,
                                                               const Call &call)
{
    IVM_TRY(Detector * other, second());
    return other->heads(requests, call);
}

Result<TableChanges> FallbackDetector::changes(const ChangesRequest &request, const Call &call)
{
    auto changes = m_first->changes(request, call);
    if (changes || !isOutOfReach(changes.error()))
        return changes;
    IVM_TRY(Detector * other, second());
    return other->changes(request, call);
}

Result<FileTotals> FallbackDetector::liveFiles(const LiveFilesRequest &request, const Call &call)
{
    auto files = m_first->liveFiles(request, call);
    if (files || !isOutOfReach(files.error()))
        return files;
    IVM_TRY(Detector * other, second());
    return other->liveFiles(request, call);
}

}  // namespace ivm
