#include "framework/refresh/held_target.h"

#include "framework/refresh/settle.h"
#include "framework/refresh/view_session.h"

namespace ivm {

namespace {

// Named by the table: a cluster has views of one name from several hosts.
QString purposeOf(const View &view)
{
    return QStringLiteral("rollout of ") + view.spec.target.text();
}

}  // namespace

Result<std::unique_ptr<HeldTarget>> HeldTarget::take(RefreshServices &services, const View &view,
                                                     const Call &call)
{
    auto held = std::unique_ptr<HeldTarget>(new HeldTarget(services, view));
    IVM_CHECK(held->prepare(call));
    return held;
}

Status HeldTarget::prepare(const Call &outer)
{
    const LeaseRequest request{.target = m_view.spec.target, .owner = m_services.owner};
    IVM_TRY(m_lease, Lease::acquire(m_services.store, request, outer));
    IVM_TRY(Executor * executor, m_services.executor());
    IVM_TRY(m_session, openViewSession(*executor, m_view.spec, call()));
    IVM_TRY(const bool isBusy, m_session->isAtWork(purposeOf(m_view), call()));
    if (isBusy)
        return fail(conflictError(QStringLiteral("view '%1': a statement of an earlier run still "
                                                 "changes its table %2")
                                      .arg(m_view.spec.name, m_view.spec.target.text()))
                        .withCode(u"statement_running")
                        .withHint(u"Run it again when that has ended"));
    return settleOpenIntent(
        m_services.store, m_view.spec.name,
        [this]() -> Result<Session *> { return m_session.get(); }, call());
}

Result<TargetVersion> HeldTarget::now()
{
    return versionNow(m_services, m_view, *m_session, call());
}

Status HeldTarget::checkStillAt(const TableHead &expected)
{
    const auto &name = m_view.spec.target;
    IVM_TRY(const auto heads, m_services.detector.heads({{.table = name}}, call()));
    const auto &head = heads.front();
    if (!head && head.error().kind != ErrorKind::NotFound)
        return fail(head.error());
    if ((head ? head->token : QString()) == expected.token)
        return {};
    return fail(conflictError(QStringLiteral("view '%1': somebody else has changed its table %2")
                                  .arg(m_view.spec.name, name.text())));
}

Result<StatementResult> HeldTarget::change(const TableHead &expected, const QString &sql)
{
    IVM_TRY(Executor * executor, m_services.executor());
    const SessionOptions options{.purpose = purposeOf(m_view),
                                 .properties = m_view.spec.sessionProperties,
                                 .statementTimeout = m_view.spec.queryTimeout};
    IVM_TRY(const auto session, executor->openSession(options, call()));
    IVM_CHECK(checkStillAt(expected));
    return execute(*session, sql, call());
}

Result<bool> HeldTarget::isReplacedAt(const TableHead &head)
{
    if (!head.snapshot)
        return true;
    const QString sql = QStringLiteral("SELECT parent_id FROM %1 WHERE snapshot_id = %2")
                            .arg(m_view.spec.target.quotedMetadataTable(u"snapshots"),
                                 QString::number(*head.snapshot));
    IVM_TRY(const Rows rows, query(*m_session, sql, call()));
    return rows.rows.size() == 1 && rows.rows.front().front().isNull();
}

}  // namespace ivm
