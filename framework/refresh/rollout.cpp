#include "framework/refresh/rollout.h"

#include "framework/base/fail_point.h"
#include "framework/base/log.h"
#include "framework/refresh/held_target.h"
#include "framework/refresh/ownership.h"
#include "framework/refresh/recorded_commit.h"
#include "framework/refresh/view_error.h"
#include "framework/refresh/view_session.h"
#include "framework/sqlexec/ddl.h"
#include "framework/view/outputs.h"

#include <QElapsedTimer>
#include <QUuid>

#include <algorithm>

namespace ivm {

namespace {

// How often a switch that lost against another writer of the target is tried anew.
constexpr int kMostAttempts = 3;

Error aboutView(const View &view, ErrorKind kind, const QString &what)
{
    Error error = invalidError(QStringLiteral("view '%1': %2").arg(view.spec.name, what));
    error.kind = kind;
    error.code = errorKindName(kind);
    return error;
}

Result<RefreshOutcome> refreshOf(const RefreshServices &services, const View &view,
                                 const Call &call)
{
    IVM_TRY(const auto outcomes, Refresher(services).refresh({view}, RefreshMode::IfChanged, call));
    if (outcomes.front().error)
        return fail(*outcomes.front().error);
    return outcomes.front();
}

Status checkSameDefinition(const View &view, const View &built)
{
    const bool isSame = view.spec.query.trimmed() == built.spec.query.trimmed() &&
                        view.spec.keys == built.spec.keys &&
                        view.spec.target != built.spec.target && view.spec.name != built.spec.name;
    if (isSame)
        return {};
    return fail(aboutView(
        view, ErrorKind::Invalid,
        QStringLiteral("'%1' is not the same definition beside it").arg(built.spec.name)));
}

// Whose rows are not known to be those that the bookmark says.
void makeInexact(Bookmark &bookmark)
{
    for (auto &source : bookmark.sources)
        source.exact = false;
    bookmark.resumeFrom.clear();
}

QString columnNames(const QList<OutputColumn> &outputs)
{
    QStringList names;
    for (const auto &output : outputs)
        names.append(quotedIdentifier(output.name));
    return names.join(QStringLiteral(", "));
}

// The rows that the bookmark speaks of, whatever became of its target since.
QString storedRows(const Bookmark &bookmark)
{
    const QString rows = QStringLiteral("SELECT %1 FROM %2")
                             .arg(columnNames(bookmark.outputs), bookmark.target.quoted());
    const auto &snapshot = bookmark.targetHead.snapshot;
    return rows + (snapshot ? QStringLiteral(" FOR VERSION AS OF %1").arg(*snapshot)
                            : QStringLiteral(" WHERE false"));
}

// One switch, under the lease of the view's target.
class Switch {
public:
    Switch(RefreshServices &services, const View &view, const View &built,
           const BeforeSwitch &before, HeldTarget &target, RefreshOutcome &outcome)
        : m_services(services), m_store(services.store), m_view(view), m_built(built),
          m_before(before), m_target(target), m_outcome(outcome)
    {
    }

    Status run()
    {
        IVM_TRY(const auto earlier, earlierSwitch());
        IVM_TRY(const bool isDone, isDoneBy(earlier));
        if (isDone) {
            m_outcome.reason = QStringLiteral("it was switched already");
            return {};
        }
        m_goesOn = earlier && earlier->statementId != kDone;
        if (!m_goesOn)
            IVM_CHECK(refreshOf(m_services, m_built, m_target.call()));
        IVM_TRY(const Bookmark rows, bookmarkOfBuilt());
        for (int attempt = 1;; ++attempt) {
            auto done = once(rows);
            const bool isLostRace = !done && done.error().kind == ErrorKind::Conflict;
            if (!isLostRace || attempt == kMostAttempts)
                return done;
            qCInfo(logRefresh, "view %s: %s; looking again", qPrintable(m_view.spec.name),
                   qPrintable(done.error().text()));
        }
    }

private:
    static inline const QString kDone = QStringLiteral("done");

    // A switch to this built that called `before`.
    Result<std::optional<Intent>> earlierSwitch()
    {
        IVM_TRY(auto intent, m_store.intent(switchName(m_built)));
        if (intent && intent->target != m_view.spec.target)
            intent.reset();
        return intent;
    }

    Status note(const TableHead &head, const QString &state)
    {
        return m_store.saveIntent({.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                                   .view = switchName(m_built),
                                   .target = m_view.spec.target,
                                   .targetHead = head,
                                   .statementId = state,
                                   .summary = {}});
    }

    Result<bool> isDoneBy(const std::optional<Intent> &earlier)
    {
        if (!earlier)
            return false;
        IVM_TRY(const TargetVersion now, m_target.now());
        return now.exists() && now.bookmark &&
               now.bookmark->definitionHash == m_view.spec.definitionHash() &&
               now.bookmark->targetHead == now.head &&
               sameLayout(now.table, targetSpec(m_view.spec, now.bookmark->outputs));
    }

    Result<Bookmark> bookmarkOfBuilt()
    {
        IVM_TRY(const auto bookmark, m_store.bookmark(m_built.spec.name));
        const bool isBuilt = bookmark && bookmark->resumeFrom.isEmpty() &&
                             bookmark->definitionHash == m_built.spec.definitionHash() &&
                             bookmark->target == m_built.spec.target;
        if (!isBuilt)
            return fail(aboutView(m_view, ErrorKind::Conflict,
                                  QStringLiteral("'%1' is not built").arg(m_built.spec.name)));
        return *bookmark;
    }

    Status once(const Bookmark &rows)
    {
        IVM_TRY(const TargetVersion now, m_target.now());
        IVM_CHECK(checkOwner(now));
        if (!m_goesOn) {
            IVM_CHECK(m_before(now));
            IVM_CHECK(failPoint(u"switch.told"));
            IVM_CHECK(note(now.head, {}));
        }
        IVM_CHECK(failPoint(u"switch.noted"));
        Bookmark bookmark = rows;
        bookmark.view = m_view.spec.name;
        bookmark.definitionHash = m_view.spec.definitionHash();
        bookmark.target = m_view.spec.target;
        bookmark.targetHead = now.head;
        bookmark.targetColumns = now.table.columns;
        const TableSpec wanted = targetSpec(m_view.spec, rows.outputs);
        if (now.exists() && sameLayout(now.table, wanted))
            IVM_CHECK(diff(storedRows(rows), bookmark));
        else
            IVM_CHECK(replace(wanted, storedRows(rows), now, bookmark));
        IVM_CHECK(failPoint(u"switch.committed"));
        IVM_CHECK(m_store.saveBookmark(bookmark));
        IVM_CHECK(failPoint(u"switch.saved"));
        return note(bookmark.targetHead, kDone);
    }

    // Of the commit. Nothing was written where its outcome is known, so the next switch begins
    // anew.
    std::unexpected<Error> failed(Error error)
    {
        if (!m_goesOn && error.kind != ErrorKind::CommitUnknown) {
            if (const auto forgot = m_store.forgetIntent(switchName(m_built)); !forgot)
                qCWarning(logRefresh, "view %s: %s", qPrintable(m_view.spec.name),
                          qPrintable(forgot.error().text()));
        }
        error.place = {};
        return fail(forPeople(m_view, std::move(error)));
    }

    Status checkOwner(const TargetVersion &now)
    {
        if (!now.exists())
            return {};
        IVM_TRY(const auto bookmarks, m_store.bookmarks());
        const auto isThis = [&](const Bookmark &bookmark) {
            return bookmark.target == m_view.spec.target &&
                   bookmark.targetHead.tableId == now.head.tableId;
        };
        if (std::ranges::any_of(bookmarks, isThis))
            return {};
        IVM_TRY(const TableInfo info,
                m_target.session().tableInfo(m_view.spec.target, m_target.call()));
        return checkOwnership(m_view.spec, info, m_target.session(), m_target.call());
    }

    Status diff(const QString &query, Bookmark &bookmark)
    {
        m_outcome.action = Action::Diff;
        const ReplaceAll change{{bookmark.target, bookmark.outputs, query}};
        auto result = commitRecorded(m_target.session(), m_store, change, bookmark,
                                     m_outcome.statementId, m_target.call());
        if (!result)
            return failed(std::move(result).error());
        bookmark.targetHead = result->target;
        m_outcome.rowsRead = result->rowsRead;
        m_outcome.bytesRead = result->bytesRead;
        m_outcome.filesRead = result->filesRead;
        m_outcome.rowsWritten = result->rowsWritten;
        m_outcome.rowsDeleted = result->rowsDeleted;
        m_outcome.targetSummary = result->summary;
        return {};
    }

    Status replace(const TableSpec &wanted, const QString &query, const TargetVersion &now,
                   Bookmark &bookmark)
    {
        m_outcome.action = Action::Rebuild;
        const QString sql = replaceTableAsSql(wanted, query);
        auto result = m_target.change(now.head, sql);
        // Built is there, so it is the target's schema that is missing.
        if (!result && result.error().kind == ErrorKind::NotFound && !now.exists()) {
            IVM_CHECK(execute(m_target.session(), createSchemaSql(wanted.name), m_target.call()));
            result = m_target.change(now.head, sql);
        }
        if (!result)
            return failed(std::move(result).error());
        m_outcome.statementId = result->statementId;
        m_outcome.rowsRead = result->rowsRead;
        m_outcome.bytesRead = result->bytesRead;
        m_outcome.rowsWritten = std::max<qint64>(result->rowsAffected, 0);
        IVM_CHECK(failPoint(u"switch.replaced"));
        IVM_TRY(const TargetVersion after, m_target.now());
        IVM_TRY(const bool isOurs, m_target.isReplacedAt(after.head));
        bookmark.targetHead = after.head;
        bookmark.targetColumns = after.table.columns;
        if (!isOurs)
            makeInexact(bookmark);
        return {};
    }

    RefreshServices &m_services;
    StateStore &m_store;
    const View &m_view;
    const View &m_built;
    const BeforeSwitch &m_before;
    HeldTarget &m_target;
    RefreshOutcome &m_outcome;
    bool m_goesOn = false;  // with a switch that called `before` and died
};

// What brings a version back.
enum class WayBack {
    None,      // it is gone
    Rollback,  // the snapshot becomes the head again
    Replace,   // the table is made anew from it
};

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

// One restore but for the refresh that follows, under the lease of the view's target.
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
            return fail(
                aboutView(m_view, ErrorKind::NotFound,
                          QStringLiteral("its table %1 does not have the rows of that version any "
                                         "more")
                              .arg(m_view.spec.target.text()))
                    .withCode(u"version_gone")
                    .withHint(QStringLiteral("Refresh the view: its rows are computed anew")));
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

double secondsOf(const QElapsedTimer &timer) { return double(timer.nsecsElapsed()) / 1e9; }

}  // namespace

QString switchName(const View &built) { return built.spec.name + QStringLiteral("@switch"); }

Result<RefreshOutcome> Rollout::switchTo(const View &view, const View &built,
                                         const BeforeSwitch &before, const Call &call)
{
    QElapsedTimer timer;
    timer.start();
    const QDateTime started = m_services.clock.now();
    RefreshOutcome outcome;
    outcome.view = view.spec.name;
    outcome.strategy = view.shape.strategy;
    outcome.reason = QStringLiteral("another definition of the view took its place");
    IVM_CHECK(checkSameDefinition(view, built));
    {
        IVM_TRY(const auto target, HeldTarget::take(m_services, view, call));
        IVM_CHECK(Switch(m_services, view, built, before, *target, outcome).run());
    }
    outcome.seconds = secondsOf(timer);
    if (const auto added = m_services.store.addRecord(recordOf(outcome, started)); !added)
        qCWarning(logRefresh, "recording a switch failed: %s", qPrintable(added.error().text()));
    return outcome;
}

Result<bool> Rollout::canRestore(const View &view, const TargetVersion &version, const Call &call)
{
    IVM_TRY(Executor * executor, m_services.executor());
    IVM_TRY(const auto session, openViewSession(*executor, view.spec, call));
    IVM_TRY(const TargetVersion now, versionNow(m_services, view, *session, call));
    IVM_TRY(const WayBack way, wayBack(view, version, now, *session, call));
    return way != WayBack::None;
}

Result<RefreshOutcome> Rollout::restore(const View &view, const TargetVersion &version,
                                        const BeforeSwitch &before, const Call &call)
{
    QElapsedTimer timer;
    timer.start();
    StatementResult statement;
    {
        IVM_TRY(const auto target, HeldTarget::take(m_services, view, call));
        IVM_TRY(statement, Restore(m_services, view, version, *target).run(before));
    }
    IVM_TRY(RefreshOutcome outcome, refreshOf(m_services, view, call));
    outcome.rowsRead += statement.rowsRead;
    outcome.bytesRead += statement.bytesRead;
    outcome.rowsWritten += std::max<qint64>(statement.rowsAffected, 0);
    outcome.seconds = secondsOf(timer);
    return outcome;
}

}  // namespace ivm
