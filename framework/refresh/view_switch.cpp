#include "framework/refresh/view_switch.h"

#include "framework/base/fail_point.h"
#include "framework/base/log.h"
#include "framework/refresh/ownership.h"
#include "framework/refresh/recorded_commit.h"
#include "framework/refresh/settle.h"
#include "framework/refresh/view_error.h"
#include "framework/sqlexec/ddl.h"
#include "framework/view/outputs.h"

#include <QUuid>

#include <algorithm>

namespace ivm {

namespace {

// How often a switch that lost against another writer of the target is tried anew.
constexpr int kMostAttempts = 3;

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
        IVM_CHECK(refreshed(m_services, m_built, RefreshMode::IfChanged, m_target.call()));
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

    // A switch to this built that was noted, and not forgotten.
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

    // Where that one died, its bookmark may be missing: then the view's is of another head.
    Result<bool> isDoneBy(const std::optional<Intent> &earlier)
    {
        if (!earlier)
            return false;
        IVM_TRY(const TargetVersion now, m_target.now());
        const auto &bookmark = now.bookmark;
        return now.exists() && bookmark &&
               bookmark->definitionHash == m_view.spec.definitionHash() &&
               (earlier->statementId == kDone || bookmark->targetHead == now.head) &&
               sameLayout(now.table, targetSpec(m_view.spec, bookmark->outputs));
    }

    Result<Bookmark> bookmarkOfBuilt()
    {
        IVM_TRY(const auto bookmark, m_store.bookmark(m_built.spec.name));
        const bool isBuilt = bookmark && bookmark->resumeFrom.isEmpty() &&
                             bookmark->definitionHash == m_built.spec.definitionHash() &&
                             bookmark->target == m_built.spec.target;
        if (!isBuilt)
            return fail(conflictError(QStringLiteral("view '%1': '%2' is not built")
                                          .arg(m_view.spec.name, m_built.spec.name)));
        return *bookmark;
    }

    Status once(const Bookmark &rows)
    {
        IVM_TRY(const TargetVersion now, m_target.now());
        IVM_CHECK(checkOwner(now));
        IVM_CHECK(m_before(now));
        IVM_CHECK(failPoint(u"switch.told"));
        IVM_CHECK(note(now.head, {}));
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
        if (error.kind != ErrorKind::CommitUnknown) {
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
        IVM_TRY(const Executor *executor, m_services.executor());
        auto result = commitRecorded(*executor, m_target.session(), m_store, change, bookmark,
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
};

}  // namespace

Status switchUnderLease(RefreshServices &services, const View &view, const View &built,
                        const BeforeSwitch &before, HeldTarget &target, RefreshOutcome &outcome)
{
    return Switch(services, view, built, before, target, outcome).run();
}

}  // namespace ivm
