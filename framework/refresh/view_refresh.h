// The refresh of one view, from the look at its bookmark to the new one.
//
// Threads: the calling thread's. Lifetime: of one refresh; what is passed in outlives it.
#pragma once

#include "framework/refresh/chunks.h"
#include "framework/refresh/plan_change.h"
#include "framework/refresh/refresh.h"

namespace ivm {

class ViewRefresh {
public:
    ViewRefresh(RefreshServices &services, const View &view, Heads &heads, MeasuredRanges &measured,
                const Call &call)
        : m_services(services), m_view(view), m_heads(heads), m_measured(measured), m_call(call)
    {
    }

    // Never fails: an error is an outcome. A commit of it is entered into the heads.
    RefreshOutcome run(RefreshMode mode, const std::optional<Bookmark> &known);

    // What run() would do; writes nothing.
    Result<Explanation> explain(const std::optional<Bookmark> &known);

private:
    Status checkTarget(const RefreshPlan &plan, const QList<OutputColumn> &outputs,
                       const TableInfo &info);
    Status work(RefreshMode mode, const std::optional<Bookmark> &known);
    Status workUnderLease(RefreshMode mode, const std::optional<Bookmark> &known);
    Status catchUp();
    Status settleOpenIntent();
    Status pollAgain();
    Status apply(const RefreshPlan &plan);
    Status commitPlan(const RefreshPlan &plan);
    Result<bool> fillsEmptyTable(const RefreshPlan &plan);
    Result<QList<Chunk>> chunksFor(const RefreshPlan &plan, const QList<OutputColumn> &outputs);
    Status commitChunks(const RefreshPlan &plan, const QList<Chunk> &chunks, Bookmark bookmark);

    Result<RefreshPlan> makePlan(RefreshMode mode);
    Result<QList<OutputColumn>> outputsFor(const RefreshPlan &plan);
    Result<TargetState> targetFor(const RefreshPlan &plan, const QList<OutputColumn> &outputs);
    Status commit(const Change &change, const Bookmark &bookmark);
    Status saveLanded(Bookmark bookmark);
    void confirmUnpinned(Bookmark &bookmark);
    Status checkOutputs(const RefreshPlan &plan);
    void describe(const RefreshPlan &plan);
    bool endsAnError();

    Result<Session *> session();
    Result<bool> can(Capability capability);

    RefreshServices &m_services;
    const View &m_view;
    Heads &m_heads;
    MeasuredRanges &m_measured;
    Call m_call;
    std::unique_ptr<Session> m_session;
    RefreshOutcome m_outcome;
    QString m_statementId;
    bool m_adopts = false;
    QString m_fullReason = QStringLiteral("a full refresh was asked for");
};

}  // namespace ivm
