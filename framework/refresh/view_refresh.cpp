#include "framework/refresh/view_refresh.h"

#include "framework/base/log.h"
#include "framework/refresh/settle.h"
#include "framework/view/rewrite.h"

#include <QElapsedTimer>
#include <QUuid>

#include <algorithm>

namespace ivm {

namespace {

// How often a refresh that lost against another writer of its target is planned anew before it
// gives up for now.
constexpr int kMostAttempts = 3;

Pins pinsOf(const RefreshPlan &plan)
{
    Pins pins;
    for (const auto &source : plan.sources) {
        if (plan.pinned && source.mark.head.snapshot)
            pins.insert(source.mark.table, *source.mark.head.snapshot);
    }
    return pins;
}

BucketTypes bucketTypesOf(const ViewShape &shape, const RefreshPlan &plan)
{
    const auto &columns = plan.sources.front().mark.columns;
    const auto column = std::ranges::find(columns, shape.bucket->column, &Column::name);
    Q_ASSERT(column != columns.end());
    const bool isDate = shape.bucket->form == ShapeBucket::Form::Date;
    return {column->type, isDate ? Type{.kind = TypeKind::Date} : column->type};
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
    const Type type = bucketTypesOf(shape, plan).bucket;
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
        m_outcome.error = std::move(done).error();
        m_outcome.reason = m_outcome.error->text();
    }
    m_outcome.seconds = double(timer.nsecsElapsed()) / 1e9;
    if (m_outcome.action != Action::None) {
        const RefreshRecord record{.view = m_outcome.view,
                                   .action = actionName(m_outcome.action),
                                   .reason = m_outcome.reason,
                                   .started = started,
                                   .seconds = m_outcome.seconds,
                                   .rowsRead = m_outcome.rowsRead,
                                   .rowsWritten = m_outcome.rowsWritten,
                                   .rowsDeleted = m_outcome.rowsDeleted,
                                   .statementId = m_statementId,
                                   .error = m_outcome.error ? m_outcome.error->text() : QString()};
        if (const auto added = m_services.store.addRecord(record); !added)
            qCWarning(logRefresh, "recording a refresh failed: %s",
                      qPrintable(added.error().text()));
    }
    return m_outcome;
}

Status ViewRefresh::work(RefreshMode mode, const std::optional<Bookmark> &known)
{
    IVM_TRY(const auto open, m_services.store.intent(m_view.spec.name));
    if (mode == RefreshMode::IfChanged && !open && isCurrent(m_view, known, m_heads)) {
        m_outcome.reason = QStringLiteral("nothing changed");
        for (const auto &source : known->sources)
            m_outcome.sourceSnapshots.insert(source.table.text(), snapshotText(source.head));
        m_outcome.targetSnapshot = snapshotText(known->targetHead);
        return {};
    }
    const LeaseRequest request{.target = m_view.spec.target, .owner = m_services.owner};
    IVM_TRY(const auto lease, Lease::acquire(m_services.store, request, m_call));
    const Call outer = std::exchange(m_call, lease->call());
    auto done = workUnderLease(mode);
    m_session.reset();
    m_call = outer;
    return done;
}

Status ViewRefresh::workUnderLease(RefreshMode mode)
{
    IVM_CHECK(settleOpenIntent());
    for (int attempt = 1;; ++attempt) {
        IVM_TRY(auto bookmark, m_services.store.bookmark(m_view.spec.name));
        IVM_TRY(const RefreshPlan plan, makePlan(mode, std::move(bookmark)));
        auto done = apply(plan);
        if (done || attempt == kMostAttempts)
            return done;
        const bool lost = done.error().kind == ErrorKind::Conflict;
        if (!lost && done.error().kind != ErrorKind::CommitUnknown)
            return done;
        qCInfo(logRefresh, "view %s: %s; looking again", qPrintable(m_view.spec.name),
               qPrintable(done.error().message));
        IVM_CHECK(settleOpenIntent());
        IVM_CHECK(pollAgain());
    }
}

Status ViewRefresh::settleOpenIntent()
{
    IVM_TRY(const auto intent, m_services.store.intent(m_view.spec.name));
    if (!intent)
        return {};
    IVM_TRY(Session * open, session());
    return settleIntent(*open, m_services.store, *intent, m_call);
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

Result<RefreshPlan> ViewRefresh::makePlan(RefreshMode mode, std::optional<Bookmark> bookmark)
{
    const auto target = m_heads.constFind(m_view.spec.target);
    if (!bookmark && target->has_value()) {
        IVM_TRY(bookmark, bookmarkOfTarget());
    }
    const PlanInput input{
        .view = m_view,
        .mode = mode,
        .bookmark = std::move(bookmark),
        .heads = m_heads,
        .detector = m_services.detector,
        .pinsCurrentSchema = [this] { return can(Capability::PinsCurrentSchema); },
        .session = [this] { return session(); }};
    return planRefresh(input, m_call);
}

// What the target's own head says about its rows: the truth where the engine writes it, also when
// our store was lost.
Result<std::optional<Bookmark>> ViewRefresh::bookmarkOfTarget()
{
    IVM_TRY(const bool tells, can(Capability::AtomicSummary));
    if (!tells)
        return std::nullopt;
    IVM_TRY(Session * open, session());
    IVM_TRY(const TableInfo info, open->tableInfo(m_view.spec.target, m_call));
    const auto text = info.headSummary.value(kBookmarkSummaryKey.toString());
    if (text.isEmpty())
        return std::nullopt;
    auto bookmark = Bookmark::fromJson(text.toUtf8(), m_view.spec.target.text());
    if (!bookmark || bookmark->view != m_view.spec.name)
        return std::nullopt;
    bookmark->targetHead = info.head;
    return std::optional(*bookmark);
}

Status ViewRefresh::apply(const RefreshPlan &plan)
{
    describe(plan);
    if (plan.action != Action::None)
        return commitPlan(plan);
    if (!plan.bookmark)
        return {};
    // Heads moved, rows did not: the bookmark follows, so that the next look is a cheap one.
    const auto bookmark = bookmarkFor(plan, plan.bookmark->outputs, *plan.target);
    m_outcome.targetSnapshot = snapshotText(*plan.target);
    return m_services.store.saveBookmark(bookmark);
}

Status ViewRefresh::commitPlan(const RefreshPlan &plan)
{
    IVM_TRY(const auto outputs, outputsFor(plan));
    IVM_TRY(const TableHead target, targetFor(plan, outputs));
    return commit(changeFor(plan, outputs), bookmarkFor(plan, outputs, target));
}

Result<QList<OutputColumn>> ViewRefresh::outputsFor(const RefreshPlan &plan)
{
    if (plan.action == Action::Incremental)
        return plan.bookmark->outputs;
    IVM_TRY(Session * open, session());
    auto described = open->describe(pinnedQuery(m_view.shape, pinsOf(plan)), m_call);
    if (!described)
        return fail(
            std::move(described).error().during(QStringLiteral("view '%1'").arg(m_view.spec.name)));
    return outputColumns(m_view.spec, m_view.shape, *described);
}

// The table to commit to, made or checked where it is not known to fit.
Result<TableHead> ViewRefresh::targetFor(const RefreshPlan &plan,
                                         const QList<OutputColumn> &outputs)
{
    if (plan.action == Action::Incremental)
        return *plan.target;
    IVM_TRY(Session * open, session());
    if (plan.action == Action::Rebuild)
        IVM_CHECK(open->createTable(targetSpec(m_view.spec, outputs), m_call));
    IVM_TRY(const TableInfo info, open->tableInfo(m_view.spec.target, m_call));
    IVM_CHECK(checkTargetColumns(m_view.spec, outputs, info));
    return info.head;
}

Change ViewRefresh::changeFor(const RefreshPlan &plan, const QList<OutputColumn> &outputs) const
{
    Replacement replacement{m_view.spec.target, outputs, statementFor(plan)};
    if (plan.action != Action::Incremental)
        return ReplaceAll{std::move(replacement)};
    const Type stored = outputs[m_view.shape.bucket->output].type;
    return ReplaceRanges{std::move(replacement), targetFilter(m_view.shape, plan.ranges, stored)};
}

QString ViewRefresh::statementFor(const RefreshPlan &plan) const
{
    switch (plan.action) {
    case Action::Incremental:
        return rangeQuery(m_view.shape, pinsOf(plan), plan.ranges,
                          bucketTypesOf(m_view.shape, plan));
    case Action::Diff:
    case Action::Rebuild: return pinnedQuery(m_view.shape, pinsOf(plan));
    case Action::None:
    case Action::Error: return {};
    }
    Q_UNREACHABLE();
}

Bookmark ViewRefresh::bookmarkFor(const RefreshPlan &plan, const QList<OutputColumn> &outputs,
                                  const TableHead &targetHead) const
{
    Bookmark bookmark{.view = m_view.spec.name,
                      .definitionHash = m_view.spec.definitionHash(),
                      .outputs = outputs,
                      .sources = {},
                      .target = m_view.spec.target,
                      .targetHead = targetHead,
                      .resumeFrom = {}};
    for (const auto &source : plan.sources)
        bookmark.sources.append(source.mark);
    return bookmark;
}

Status ViewRefresh::commit(const Change &change, const Bookmark &bookmark)
{
    Intent intent{.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                  .view = m_view.spec.name,
                  .target = bookmark.target,
                  .targetHead = bookmark.targetHead,
                  .statementId = {},
                  .summary = {}};
    intent.summary.insert(kBookmarkSummaryKey.toString(), QString::fromUtf8(bookmark.toJson()));
    intent.summary.insert(kIntentSummaryKey.toString(), intent.id);
    IVM_TRY(Session * open, session());
    IVM_CHECK(m_services.store.saveIntent(intent));
    const IntentRecorder record = [&](const QString &statementId) {
        m_statementId = statementId;
        intent.statementId = statementId;
        return m_services.store.saveIntent(intent);
    };
    auto result = open->commit(change, intent, record, m_call);
    if (!result) {
        Error error =
            std::move(result).error().during(QStringLiteral("view '%1'").arg(m_view.spec.name));
        // A commit of unknown outcome keeps its intent: the next refresh settles it.
        if (error.kind != ErrorKind::CommitUnknown)
            IVM_CHECK(m_services.store.forgetIntent(m_view.spec.name));
        return fail(std::move(error));
    }
    Bookmark landed = bookmark;
    landed.targetHead = result->target;
    m_heads.insert(bookmark.target, result->target);
    m_outcome.rowsRead = result->rowsRead;
    m_outcome.bytesRead = result->bytesRead;
    m_outcome.filesRead = result->filesRead;
    m_outcome.rowsWritten = result->rowsWritten;
    m_outcome.rowsDeleted = result->rowsDeleted;
    m_outcome.targetSnapshot = snapshotText(result->target);
    return m_services.store.saveBookmark(landed);
}

void ViewRefresh::describe(const RefreshPlan &plan)
{
    m_outcome.action = plan.action;
    m_outcome.reason = plan.reason;
    m_outcome.ranges = textRanges(m_view.shape, plan);
    m_outcome.nullBucket = plan.ranges.hasNullBucket();
    for (const auto &source : plan.sources)
        m_outcome.sourceSnapshots.insert(source.mark.table.text(), snapshotText(source.mark.head));
    qCInfo(logRefresh, "view %s: %s (%s)", qPrintable(m_view.spec.name),
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
    IVM_TRY(explanation.plan, makePlan(RefreshMode::IfChanged, known));
    explanation.statement = statementFor(explanation.plan);
    return explanation;
}

Result<Session *> ViewRefresh::session()
{
    if (!m_session) {
        IVM_TRY(Executor * executor, m_services.executor());
        IVM_TRY(m_session, executor->openSession(m_call));
    }
    return m_session.get();
}

Result<bool> ViewRefresh::can(Capability capability)
{
    IVM_TRY(Executor * executor, m_services.executor());
    return executor->can(capability);
}

}  // namespace ivm
