#include "framework/refresh/view_refresh.h"

#include "framework/base/fail_point.h"
#include "framework/base/log.h"
#include "framework/refresh/known_bookmark.h"
#include "framework/refresh/macro_error.h"
#include "framework/refresh/ownership.h"
#include "framework/refresh/recorded_commit.h"
#include "framework/refresh/settle.h"
#include "framework/refresh/view_error.h"
#include "framework/refresh/view_session.h"

#include <QElapsedTimer>

#include <algorithm>

namespace ivm {

namespace {

// How often a refresh that lost against another writer of its target is planned anew before it
// gives up for now.
constexpr int kMostAttempts = 3;

// Somebody else committed to the target first, or made it, or may have: one looks again.
bool isLostRace(const Error &error)
{
    return error.kind == ErrorKind::Conflict || error.kind == ErrorKind::CommitUnknown ||
           error.kind == ErrorKind::AlreadyExists;
}

// A build that goes on reads a state that never changes, which may have been expired, or hold what
// the query fails for: so it would fail for ever.
bool wouldFailAgain(const Error &error)
{
    return error.kind == ErrorKind::NotFound || error.kind == ErrorKind::Corrupt ||
           error.kind == ErrorKind::Invalid || error.kind == ErrorKind::Unsupported;
}

QString snapshotText(const TableHead &head)
{
    return head.snapshot ? QString::number(*head.snapshot) : QString();
}

QList<TextRange> textRanges(const ViewShape &shape, const RefreshPlan &plan)
{
    QList<TextRange> ranges;
    if (plan.ranges.ranges().isEmpty())
        return ranges;
    const Type type = plan.bookmark->outputs[shape.bucket->output].type;
    const auto text = [&](const std::optional<Micros> &bound) {
        return bound ? bucketText(type, *bound) : std::nullopt;
    };
    for (const auto &range : plan.ranges.ranges())
        ranges.append({text(range.from), text(range.to)});
    return ranges;
}

}  // namespace

RefreshOutcome ViewRefresh::run(RefreshMode mode, const std::optional<Bookmark> &known)
{
    QElapsedTimer timer;
    timer.start();
    const QDateTime started = m_services.clock.now();
    m_outcome.view = m_view.spec.name;
    m_outcome.strategy = m_view.shape.strategy;
    if (auto done = work(mode, known); !done) {
        m_outcome.action = Action::Error;
        m_outcome.error = forPeople(m_view, std::move(done).error());
        m_outcome.reason = m_outcome.error->text();
    }
    m_outcome.statementId = m_statementId;
    m_outcome.seconds = double(timer.nsecsElapsed()) / 1e9;
    // Somebody else who is at work is no failure.
    const bool waits = m_outcome.error && m_outcome.error->code == u"lease_held";
    if (!waits && (m_outcome.action != Action::None || endsAnError())) {
        const RefreshRecord record = recordOf(m_outcome, started);
        if (const auto added = m_services.store.addRecord(record); !added)
            qCWarning(logRefresh, "recording a refresh failed: %s",
                      qPrintable(added.error().text()));
    }
    return m_outcome;
}

// Whether the last thing that was recorded is an error, which is over now.
bool ViewRefresh::endsAnError()
{
    const auto records = m_services.store.records(m_view.spec.name, 1);
    return records && !records->isEmpty() && records->front().action == actionName(Action::Error);
}

Status ViewRefresh::work(RefreshMode mode, const std::optional<Bookmark> &known)
{
    IVM_TRY(const auto open, m_services.store.intent(m_view.spec.name));
    m_adopts = mode == RefreshMode::Adopt;
    if (mode != RefreshMode::Full && !open && isCurrent(m_view, known, m_heads)) {
        m_outcome.reason = QStringLiteral("nothing changed");
        for (const auto &source : known->sources)
            m_outcome.sourceSnapshots.insert(source.table.text(), snapshotText(source.head));
        m_outcome.targetSnapshot = snapshotText(known->targetHead);
        return {};
    }
    const LeaseRequest request{.target = m_view.spec.target, .owner = m_services.owner};
    IVM_TRY(const auto lease, Lease::acquire(m_services.store, request, m_call));
    const Call outer = std::exchange(m_call, lease->call());
    auto done = workUnderLease(mode, known);
    if (done)
        done = failPoint(u"refresh.release");
    m_session.reset();
    m_call = outer;
    return done;
}

Status ViewRefresh::workUnderLease(RefreshMode mode, const std::optional<Bookmark> &known)
{
    IVM_CHECK(failPoint(u"refresh.leased"));
    IVM_CHECK(settleOpenIntent());
    IVM_CHECK(failPoint(u"refresh.settled"));
    IVM_TRY(const auto bookmark, m_services.store.bookmark(m_view.spec.name));
    // Somebody else refreshed it since the poll: its heads may be older than what he saw.
    if (bookmark != known)
        IVM_CHECK(pollAgain());
    for (int attempt = 1;; ++attempt) {
        IVM_TRY(const RefreshPlan plan, makePlan(mode));
        auto done = apply(plan);
        if (done && !plan.resumeFrom.isEmpty())
            return catchUp();
        if (done || attempt == kMostAttempts)
            return done;
        const QString why = done.error().text();
        if (!plan.resumeFrom.isEmpty() && wouldFailAgain(done.error())) {
            mode = RefreshMode::Full;
            m_fullReason = QStringLiteral("the build cannot go on: ") + why;
        } else if (!isLostRace(done.error())) {
            return done;
        }
        qCInfo(logRefresh, "view %s: %s; looking again", qPrintable(m_view.spec.name),
               qPrintable(why));
        IVM_CHECK(settleOpenIntent());
        IVM_CHECK(pollAgain());
    }
}

// A build that went on is of the state that it began with, perhaps days ago: what changed since is
// recomputed at once.
Status ViewRefresh::catchUp()
{
    const QString reason = m_outcome.reason;
    IVM_CHECK(pollAgain());
    IVM_TRY(const RefreshPlan plan, makePlan(RefreshMode::IfChanged));
    auto done = apply(plan);
    m_outcome.action = Action::Rebuild;
    m_outcome.reason = reason;
    return done;
}

Status ViewRefresh::settleOpenIntent()
{
    return ivm::settleOpenIntent(
        m_services.store, m_view.spec.name, [this] { return session(); }, m_call);
}

Status ViewRefresh::pollAgain()
{
    QList<HeadRequest> requests{{.table = m_view.spec.target}};
    for (const auto &source : m_view.shape.sources)
        requests.append({.table = source.table});
    IVM_TRY(const auto heads, m_services.detector.heads(requests, m_call));
    for (qsizetype i = 0; i < requests.size(); ++i)
        m_heads.insert(requests[i].table, heads[i]);
    return {};
}

Result<RefreshPlan> ViewRefresh::makePlan(RefreshMode mode)
{
    const auto openSession = [this] { return session(); };
    // A target that is not there carries none.
    const auto target = m_heads.constFind(m_view.spec.target);
    const bool isThere = target != m_heads.cend() && target->has_value();
    IVM_TRY(auto bookmark, isThere ? knownBookmark(m_services, m_view, openSession, m_call)
                                   : m_services.store.bookmark(m_view.spec.name));
    const PlanInput input{
        .view = m_view,
        .mode = mode,
        .bookmark = std::move(bookmark),
        .heads = m_heads,
        .detector = m_services.detector,
        .measured = m_measured,
        .pinsCurrentSchema = [this] { return can(Capability::PinsCurrentSchema); },
        .session = openSession,
        .fullReason = m_fullReason};
    return planRefresh(input, m_call);
}

Status ViewRefresh::apply(const RefreshPlan &plan)
{
    describe(plan);
    if (plan.action != Action::None)
        return commitPlan(plan);
    if (!plan.bookmark)
        return {};
    // Heads moved, rows did not: the bookmark follows, so that the next look is a cheap one.
    const auto bookmark = bookmarkFor(m_view, plan, plan.bookmark->outputs,
                                      {*plan.target, plan.bookmark->targetColumns});
    m_outcome.targetSnapshot = snapshotText(*plan.target);
    return m_services.store.saveBookmark(bookmark);
}

Status ViewRefresh::commitPlan(const RefreshPlan &plan)
{
    IVM_TRY(const auto outputs, outputsFor(plan));
    IVM_TRY(const TargetState target, targetFor(plan, outputs));
    const Bookmark bookmark = bookmarkFor(m_view, plan, outputs, target);
    IVM_TRY(const auto chunks, chunksFor(plan, outputs));
    if (chunks.size() > 1)
        return commitChunks(plan, chunks, bookmark);
    return commit(changeFor(m_view, plan, outputs), bookmark);
}

// A table that was made is empty; so is one that a build made before it was killed. One with rows
// is changed in one commit, so that a reader never sees old and new ones side by side.
Result<bool> ViewRefresh::fillsEmptyTable(const RefreshPlan &plan)
{
    if (plan.action == Action::Rebuild)
        return true;
    if (plan.action != Action::Diff)
        return false;
    IVM_TRY(Session * open, session());
    IVM_TRY(const bool rows, hasRows(m_view.spec.target, *open, m_call));
    return !rows;
}

// How a build is cut; not at all where the view does not ask for it, or its sources cannot be read
// at one state again and again.
Result<QList<Chunk>> ViewRefresh::chunksFor(const RefreshPlan &plan,
                                            const QList<OutputColumn> &outputs)
{
    const auto &shape = m_view.shape;
    const auto unit = bucketUnitFromName(m_view.spec.fullRefreshChunk.value_or(QString()));
    if (!unit || !shape.isRanges() || !std::ranges::all_of(plan.sources, &SourcePlan::pinned))
        return QList<Chunk>();
    IVM_TRY(const bool isBuild, fillsEmptyTable(plan));
    if (!isBuild)
        return QList<Chunk>();
    const auto &source = plan.sources.front().mark;
    const MeasuredColumn column{source.table, bucketColumn(shape, plan), shape.bucket->function};
    const Type &key = outputs[shape.bucket->output].type;
    if (!shape.bucket->function.fits(column.column.type, key))
        return QList<Chunk>();
    const LiveFilesRequest request{
        .table = source.table, .at = source.head, .column = column.column, .within = {{}}};
    IVM_TRY(const FileTotals files, m_services.detector.liveFiles(request, m_call));
    return chunksOf(column, key, *unit, files.bounds);
}

// The bookmark says how far it has come; one that nobody knows of any more is begun again.
Status ViewRefresh::commitChunks(const RefreshPlan &plan, const QList<Chunk> &chunks,
                                 Bookmark bookmark)
{
    const auto found = std::ranges::find(chunks, plan.resumeFrom, &Chunk::from);
    const qsizetype first = found == chunks.end() ? 0 : found - chunks.begin();
    const BucketTypes types = bucketTypesOf(m_view.shape, plan, bookmark.outputs);
    const Pins pins = pinsOf(plan);
    bookmark.resumeFrom = chunks[first].from;
    IVM_CHECK(m_services.store.saveBookmark(bookmark));
    for (qsizetype i = first; i < chunks.size(); ++i) {
        const RangeSet &ranges = chunks[i].ranges;
        qCInfo(logRefresh, "view %s: chunk %lld of %lld, from %s", qPrintable(m_view.spec.name),
               qlonglong(i + 1), qlonglong(chunks.size()), qPrintable(chunks[i].from));
        bookmark.resumeFrom = i + 1 < chunks.size() ? chunks[i + 1].from : QString();
        const ReplaceRanges change{
            {bookmark.target, bookmark.outputs, rangeQuery(m_view.shape, pins, ranges, types)},
            targetFilter(m_view.shape, ranges, types.bucket)};
        IVM_CHECK(commit(change, bookmark));
        bookmark.targetHead = *m_heads.value(bookmark.target);
    }
    return {};
}

Result<QList<OutputColumn>> ViewRefresh::outputsFor(const RefreshPlan &plan)
{
    if (plan.action == Action::Incremental || !plan.resumeFrom.isEmpty())
        return plan.bookmark->outputs;
    IVM_TRY(Session * open, session());
    const QString statement = pinnedQuery(m_view.shape, pinsOf(plan));
    auto described = open->describe(statement, m_call);
    if (!described) {
        if (const auto told = macroError(described.error(), *open, m_view, m_call))
            return fail(*told);
        return fail(ofView(m_view, std::move(described).error(), statement));
    }
    return outputColumns(m_view.spec, m_view.shape, *described);
}

// Made or checked where it is not known to fit.
Result<TargetState> ViewRefresh::targetFor(const RefreshPlan &plan,
                                           const QList<OutputColumn> &outputs)
{
    const bool isKnown = plan.action == Action::Incremental || !plan.resumeFrom.isEmpty();
    if (isKnown && plan.target->token == plan.bookmark->targetHead.token)
        return TargetState{*plan.target, plan.bookmark->targetColumns};
    const auto &name = m_view.spec.target;
    IVM_TRY(Session * open, session());
    if (isKnown) {
        // Its rows were measured by the columns that the view has; others may have come.
        IVM_TRY(const TableInfo info, open->tableInfo(name, m_call));
        IVM_CHECK(checkTargetColumns(m_view.spec, outputs, info));
        return TargetState{*plan.target, plan.bookmark->targetColumns};
    }
    if (plan.action == Action::Rebuild) {
        if (auto made = open->createTable(targetSpec(m_view.spec, outputs), m_call); !made)
            return fail(ofView(m_view, std::move(made).error(), {}));
        IVM_CHECK(failPoint(u"refresh.target_made"));
    }
    IVM_TRY(TableInfo info, open->tableInfo(name, m_call));
    IVM_CHECK(checkTarget(plan, outputs, info));
    if (m_adopts && !tellsOf(info.comment, m_view.spec)) {
        IVM_CHECK(takeOwnership(m_view.spec, info, *open, m_call));
        IVM_TRY(info, open->tableInfo(name, m_call));
    }
    IVM_TRY(auto columns, targetColumns(m_services.detector, name, info.head, outputs, m_call));
    return TargetState{info.head, std::move(columns)};
}

Status ViewRefresh::commit(const Change &change, const Bookmark &bookmark)
{
    IVM_TRY(const Executor *executor, m_services.executor());
    IVM_TRY(Session * open, session());
    auto result =
        commitRecorded(*executor, *open, m_services.store, change, bookmark, m_statementId, m_call);
    if (!result) {
        // Trino tells some types of arguments only when it comes to rows.
        if (const auto told = macroError(result.error(), *open, m_view, m_call))
            return fail(*told);
        return fail(ofView(m_view, std::move(result).error(), replacementOf(change).query));
    }
    Bookmark landed = bookmark;
    landed.targetHead = result->target;
    m_heads.insert(bookmark.target, result->target);
    m_outcome.rowsRead += result->rowsRead;
    m_outcome.bytesRead += result->bytesRead;
    m_outcome.filesRead += result->filesRead;
    m_outcome.rowsWritten += result->rowsWritten;
    m_outcome.rowsDeleted += result->rowsDeleted;
    m_outcome.targetSnapshot = snapshotText(result->target);
    m_outcome.targetSummary = result->summary;
    return saveLanded(std::move(landed));
}

Status ViewRefresh::saveLanded(Bookmark bookmark)
{
    confirmUnpinned(bookmark);
    IVM_CHECK(m_services.store.saveBookmark(bookmark));
    return failPoint(u"refresh.bookmark_saved");
}

// Looks again at the sources that were read without a pin: those that still stand were read exactly
// so. Where one moved, or nobody answers, it stays inexact, and the next refresh diffs.
void ViewRefresh::confirmUnpinned(Bookmark &bookmark)
{
    QList<HeadRequest> requests;
    for (const auto &source : bookmark.sources) {
        if (!source.exact)
            requests.append({.table = source.table});
    }
    if (requests.isEmpty())
        return;
    const auto heads = m_services.detector.heads(requests, m_call);
    if (!heads)
        return;
    for (qsizetype i = 0; i < requests.size(); ++i) {
        const auto mark =
            std::ranges::find(bookmark.sources, requests[i].table, &SourceMark::table);
        const auto &now = (*heads)[i];
        m_heads.insert(requests[i].table, now);
        mark->exact = now && now->token == mark->head.token;
        if (!mark->exact)
            qCInfo(logRefresh, "view %s: source %s changed while it was read",
                   qPrintable(m_view.spec.name), qPrintable(mark->table.text()));
    }
}

void ViewRefresh::describe(const RefreshPlan &plan)
{
    m_outcome.action = plan.action;
    m_outcome.reason = plan.reason;
    m_outcome.ranges = textRanges(m_view.shape, plan);
    m_outcome.nullBucket = plan.ranges.hasNullBucket();
    for (const auto &source : plan.sources)
        m_outcome.sourceSnapshots.insert(source.mark.table.text(), snapshotText(source.mark.head));
    qCDebug(logRefresh, "view %s: %s (%s)", qPrintable(m_view.spec.name),
            qPrintable(actionName(plan.action)), qPrintable(plan.reason));
}

Result<Explanation> ViewRefresh::explain(const std::optional<Bookmark> &known)
{
    Explanation explanation;
    if (isCurrent(m_view, known, m_heads)) {
        explanation.plan.reason = QStringLiteral("nothing changed");
        explanation.plan.bookmark = known;
        for (const auto &source : known->sources)
            explanation.plan.sources.append(
                {.mark = source, .files = {}, .snapshots = 0, .before = source.head});
        return explanation;
    }
    IVM_TRY(explanation.plan, makePlan(RefreshMode::IfChanged));
    IVM_CHECK(checkOutputs(explanation.plan));
    explanation.statement = statementFor(m_view, explanation.plan);
    return explanation;
}

// What a refresh would refuse after it has made its plan.
Status ViewRefresh::checkOutputs(const RefreshPlan &plan)
{
    if (plan.action != Action::Diff && plan.action != Action::Rebuild)
        return {};
    IVM_TRY(const auto outputs, outputsFor(plan));
    if (!plan.target)
        return {};
    IVM_TRY(Session * open, session());
    IVM_TRY(const TableInfo info, open->tableInfo(m_view.spec.target, m_call));
    return checkTarget(plan, outputs, info);
}

// Of a table that is not known to fit, or to be the view's.
Status ViewRefresh::checkTarget(const RefreshPlan &plan, const QList<OutputColumn> &outputs,
                                const TableInfo &info)
{
    IVM_CHECK(checkTargetColumns(m_view.spec, outputs, info));
    if (plan.action != Action::Diff || plan.knowsTarget || m_adopts)
        return {};
    // A view that was renamed keeps its table: no two views of one host have the same.
    IVM_TRY(const auto bookmarks, m_services.store.bookmarks());
    const auto isThis = [&](const Bookmark &bookmark) {
        return bookmark.target == m_view.spec.target &&
               bookmark.targetHead.tableId == info.head.tableId;
    };
    if (std::ranges::any_of(bookmarks, isThis))
        return {};
    IVM_TRY(Session * open, session());
    return checkOwnership(m_view.spec, info, *open, m_call);
}

Result<Session *> ViewRefresh::session()
{
    if (!m_session) {
        IVM_TRY(Executor * executor, m_services.executor());
        IVM_TRY(m_session, openViewSession(*executor, m_view.spec, m_call));
    }
    return m_session.get();
}

Result<bool> ViewRefresh::can(Capability capability)
{
    IVM_TRY(Executor * executor, m_services.executor());
    return executor->can(capability);
}

}  // namespace ivm
