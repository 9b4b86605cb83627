#include "framework/refresh/view_restore.h"

#include "framework/base/fail_point.h"
#include "framework/refresh/settle.h"
#include "framework/refresh/view_error.h"
#include "framework/sqlexec/ddl.h"
#include "framework/view/outputs.h"
#include "framework/view/rewrite.h"

#include <algorithm>

namespace ivm {

namespace {

// Whether the query gives the columns today that it gave then: what it reads may have others now.
Result<bool> stillFits(const View &view, const TargetVersion &version, Session &session,
                       const Call &call)
{
    const QString statement = pinnedQuery(view.shape, {});
    auto described = session.describe(statement, call);
    if (!described)
        return fail(forPeople(view, ofView(view, std::move(described).error(), statement)));
    IVM_TRY(const auto outputs, outputColumns(view.spec, view.shape, *described));
    const auto isSame = [](const Column &a, const Column &b) {
        return a.name.compare(b.name, Qt::CaseInsensitive) == 0 && a.type == b.type;
    };
    return std::ranges::equal(targetSpec(view.spec, outputs).columns, version.table.columns,
                              isSame);
}

class Restore {
public:
    Restore(RefreshServices &services, const View &view, const TargetVersion &version,
            HeldTarget &target)
        : m_services(services), m_view(view), m_version(version), m_target(target)
    {
    }

    Result<StatementResult> run(const BeforeSwitch &before)
    {
        IVM_TRY(const TargetVersion now, m_target.now());
        IVM_TRY(const WayBack way,
                wayBack(m_view, m_version, now, m_target.session(), m_target.call()));
        if (way == WayBack::None)
            return fail(gone());
        IVM_CHECK(before(now));
        IVM_CHECK(failPoint(u"restore.told"));
        StatementResult result;
        if (way == WayBack::Replace || now.head.snapshot != m_version.head.snapshot) {
            IVM_TRY(result, m_target.change(now.head, statement(way)));
        }
        IVM_CHECK(failPoint(u"restore.committed"));
        IVM_CHECK(saveBookmark(way));
        IVM_CHECK(failPoint(u"restore.saved"));
        return result;
    }

private:
    Error gone() const
    {
        return notFoundError(
                   QStringLiteral("view '%1': its table %2 does not have the rows of that "
                                  "version any more")
                       .arg(m_view.spec.name, m_view.spec.target.text()))
            .withCode(u"version_gone")
            .withHint(u"Refresh the view: its rows are computed anew");
    }

    QString statement(WayBack way) const
    {
        return way == WayBack::Rollback ? rollbackSql(m_view.spec.target, *m_version.head.snapshot)
                                        : replaceTableAsSql(m_version.table, rowsOf(m_version));
    }

    Status saveBookmark(WayBack way)
    {
        if (!m_version.bookmark)
            return m_services.store.forgetBookmark(m_view.spec.name);
        IVM_TRY(const TargetVersion after, m_target.now());
        IVM_TRY(const bool isOurs, isThere(after, way));
        Bookmark bookmark = *m_version.bookmark;
        // Of rows that others had changed since, the old bookmark did not know.
        const bool wasRight = bookmark.targetHead.snapshot == m_version.head.snapshot &&
                              bookmark.targetHead.tableId == m_version.head.tableId &&
                              sameColumns(bookmark.targetColumns, m_version.table.columns);
        bookmark.view = m_view.spec.name;
        bookmark.target = m_view.spec.target;
        bookmark.targetHead = after.head;
        bookmark.targetColumns = after.table.columns;
        if (!isOurs || !wasRight)
            makeInexact(bookmark);
        return m_services.store.saveBookmark(bookmark);
    }

    Result<bool> isThere(const TargetVersion &after, WayBack way)
    {
        if (way == WayBack::Rollback)
            return after.head.snapshot == m_version.head.snapshot;
        return m_target.isReplacedAt(after.head);
    }

    RefreshServices &m_services;
    const View &m_view;
    const TargetVersion &m_version;
    HeldTarget &m_target;
};

}  // namespace

Result<WayBack> wayBack(const View &view, const TargetVersion &version, const TargetVersion &now,
                        Session &session, const Call &call)
{
    const bool isThis = now.exists() && now.head.tableId == version.head.tableId &&
                        version.table.name == view.spec.target;
    if (!isThis || !version.head.snapshot)
        return WayBack::None;
    const QString known = QStringLiteral("SELECT 1 FROM %1 WHERE snapshot_id = %2")
                              .arg(view.spec.target.quotedMetadataTable(u"snapshots"),
                                   QString::number(*version.head.snapshot));
    IVM_TRY(const Rows rows, query(session, known, call));
    if (rows.rows.empty())
        return WayBack::None;
    IVM_TRY(const bool fits, stillFits(view, version, session, call));
    if (!fits)
        return WayBack::None;
    if (sameLayout(now.table, version.table) &&
        sameColumns(now.table.columns, version.table.columns))
        return WayBack::Rollback;
    const auto columns = session.describe(rowsOf(version), call);
    if (!columns &&
        (columns.error().kind == ErrorKind::Invalid || columns.error().kind == ErrorKind::NotFound))
        return WayBack::None;
    if (!columns)
        return fail(columns.error());
    const auto isAlike = [](const Column &a, const Column &b) { return a.type == b.type; };
    return std::ranges::equal(*columns, version.table.columns, isAlike) ? WayBack::Replace
                                                                        : WayBack::None;
}

Result<StatementResult> restoreUnderLease(RefreshServices &services, const View &view,
                                          const TargetVersion &version, const BeforeSwitch &before,
                                          HeldTarget &target)
{
    return Restore(services, view, version, target).run(before);
}

}  // namespace ivm
