#include "framework/refresh/plan.h"

#include <algorithm>

namespace ivm {

namespace {

// One statement filters on at most so many ranges; the smallest gaps between them are closed first.
constexpr qsizetype kMostRanges = 64;
// A further range costs an engine about as much as reading so many rows: Trino compiles each
// condition anew, which took some 15 ms where a row takes less than a microsecond. Of a few ranges
// that is not worth asking how many rows there are.
constexpr double kRowsOfARange = 25'000;
constexpr qsizetype kFewRanges = 8;

class Planner {
public:
    Planner(const PlanInput &input, const Call &call) : m_input(input), m_call(call) {}

    Result<RefreshPlan> run()
    {
        m_plan.bookmark = m_input.bookmark;
        IVM_CHECK(lookAtTarget());
        forgetUselessBookmark();
        for (const auto &source : m_input.view.shape.sources)
            IVM_CHECK(lookAtSource(source));
        IVM_CHECK(measureTarget());
        decide();
        simplifyRanges();
        IVM_CHECK(choosePins());
        return std::move(m_plan);
    }

private:
    // From now on everything is recomputed; the first reason is the one that is told.
    void callForDiff(QString reason)
    {
        if (!m_diffReason)
            m_diffReason = std::move(reason);
    }

    Status lookAtTarget()
    {
        const auto found = m_input.heads.constFind(m_input.view.spec.target);
        Q_ASSERT(found != m_input.heads.cend());
        if (found->has_value())
            m_plan.target = **found;
        else if (found->error().kind != ErrorKind::NotFound)
            return fail(found->error());
        return {};
    }

    // A bookmark speaks of one target table and one definition; of another it says nothing.
    void forgetUselessBookmark()
    {
        const auto &spec = m_input.view.spec;
        m_plan.knowsTarget = m_plan.bookmark && m_plan.bookmark->target == spec.target &&
                             m_plan.target &&
                             m_plan.bookmark->targetHead.tableId == m_plan.target->tableId;
        if (!m_plan.target) {
            m_plan.bookmark.reset();
        } else if (!m_plan.bookmark) {
            callForDiff(
                QStringLiteral("nothing is known about the rows of %1").arg(spec.target.text()));
        } else if (m_plan.bookmark->target != spec.target ||
                   m_plan.bookmark->targetHead.tableId != m_plan.target->tableId) {
            callForDiff(QStringLiteral("%1 is another table than after the last refresh")
                            .arg(spec.target.text()));
            m_plan.bookmark.reset();
        } else if (m_plan.bookmark->definitionHash != spec.definitionHash()) {
            callForDiff(QStringLiteral("the definition changed"));
            m_plan.bookmark.reset();
        }
        if (m_input.mode == RefreshMode::Full)
            callForDiff(m_input.fullReason);
    }

    const SourceMark *oldMark(const TableName &table) const
    {
        if (!m_plan.bookmark)
            return nullptr;
        const auto mark = std::ranges::find(m_plan.bookmark->sources, table, &SourceMark::table);
        return mark == m_plan.bookmark->sources.end() ? nullptr : &*mark;
    }

    Status lookAtSource(const ShapeSource &source)
    {
        const auto found = m_input.heads.constFind(source.table);
        Q_ASSERT(found != m_input.heads.cend());
        if (!found->has_value())
            return fail(ofSource(found->error(), source));
        SourcePlan plan{
            .mark = {.table = source.table, .role = source.role, .head = **found, .columns = {}},
            .files = {},
            .snapshots = 0,
            .before = std::nullopt};
        const SourceMark *old = oldMark(source.table);
        if (old) {
            plan.before = old->head;
            if (!old->exact)
                callForDiff(QStringLiteral("%1 changed while it was read, or may have")
                                .arg(source.table.text()));
        } else if (m_plan.bookmark) {
            callForDiff(QStringLiteral("%1 was not read before").arg(source.table.text()));
        }
        if (old && old->head.token == plan.mark.head.token) {
            plan.mark.columns = old->columns;
            plan.mark.pinnable = old->pinnable;
        } else {
            IVM_CHECK(lookAtChanges(source, old, plan));
        }
        m_plan.sources.append(plan);
        return {};
    }

    Error ofSource(Error error, const ShapeSource &source) const
    {
        const auto &view = m_input.view;
        const QString name = source.table.text();
        const Place inQuery = sql::placeOf(view.shape.query, source.span.begin);
        if (error.kind == ErrorKind::NotFound)
            error.message = QStringLiteral("there is no Iceberg table %1").arg(name);
        else if (!error.message.contains(name))
            error = std::move(error).during(QString(QStringLiteral("source ") + name));
        error.place = view.spec.placeInFile(inQuery.line, inQuery.column);
        return std::move(error).during(QStringLiteral("view '%1'").arg(view.spec.name));
    }

    Status lookAtChanges(const ShapeSource &source, const SourceMark *old, SourcePlan &plan)
    {
        const auto &bucket = m_input.view.shape.bucket;
        const bool wantsRanges = bucket && source.role == SourceRole::Driving;
        const bool wantsFiles = old && m_input.mode != RefreshMode::Full;
        const ChangesRequest request{.table = source.table,
                                     .from = wantsFiles ? old->head : plan.mark.head,
                                     .to = plan.mark.head,
                                     .column = wantsRanges ? bucket->column : QString(),
                                     .columns = source.columns};
        IVM_TRY(const TableChanges changes, m_input.detector.changes(request, m_call));
        plan.mark.columns = changes.columns;
        plan.mark.pinnable = changes.pinnable;
        plan.snapshots = changes.snapshots;
        plan.files = countFiles(changes);
        if (!old)
            return {};
        if (!sameColumns(changes.columns, old->columns)) {
            callForDiff(QStringLiteral("%1: %2").arg(
                source.table.text(), columnDifference(old->columns, changes.columns)));
            return {};
        }
        if (changes.unmeasurable) {
            callForDiff(QStringLiteral("%1: %2").arg(source.table.text(), *changes.unmeasurable));
            return {};
        }
        return measureSource(source, request, changes);
    }

    static QString columnDifference(const QList<Column> &before, const QList<Column> &now)
    {
        for (const auto &column : before) {
            const auto same = std::ranges::find(now, column.name, &Column::name);
            if (same == now.end())
                return QStringLiteral("column '%1' is gone").arg(column.name);
            if (same->type != column.type)
                return QStringLiteral("column '%1' is now %2").arg(column.name, same->type.text());
            if (same->fieldId != column.fieldId)
                return QStringLiteral("column '%1' is another column of the same name")
                    .arg(column.name);
        }
        return QStringLiteral("it has other columns now");
    }

    Status measureSource(const ShapeSource &source, const ChangesRequest &request,
                         const TableChanges &changes)
    {
        if (changes.files.isEmpty())
            return {};
        m_sourceChanged = true;
        if (!m_input.view.shape.isRanges() || source.role != SourceRole::Driving) {
            callForDiff(QStringLiteral("%1 changed").arg(source.table.text()));
            return {};
        }
        const auto &bucket = *m_input.view.shape.bucket;
        const auto column = followedColumn(changes.columns);
        if (!column) {
            const bool isTime = bucket.function.columnDomain == BucketFunction::Domain::Time;
            callForDiff(QStringLiteral("%1: '%2' is no column of %3")
                            .arg(source.table.text(), bucket.column,
                                 isTime ? u"dates or timestamps" : u"whole numbers"));
            return {};
        }
        const bool wasPinnable = oldMark(source.table)->pinnable;
        return addRanges({source.table, *column, bucket.function}, request, changes, wasPinnable);
    }

    // The column that the bucket follows; none when its type, or the bucket's own, is not what the
    // query's text made of it.
    std::optional<Column> followedColumn(const QList<Column> &columns) const
    {
        const auto &bucket = *m_input.view.shape.bucket;
        const auto column = std::ranges::find(columns, bucket.column, &Column::name);
        const Type key = m_plan.bookmark->outputs.value(bucket.output).type;
        if (column == columns.end() || !bucket.function.fits(column->type, key))
            return {};
        return *column;
    }

    // `wasPinnable`: whether the state before can be read with the columns of now.
    Status addRanges(const MeasuredColumn &column, const ChangesRequest &request,
                     const TableChanges &changes, bool wasPinnable)
    {
        bool always = false;
        if (!wasPinnable || !changes.pinnable) {
            IVM_TRY(always, m_input.pinsCurrentSchema());
        }
        const MeasureInput input{.column = column,
                                 .request = request,
                                 .changes = changes,
                                 .pinnableBefore = wasPinnable || always,
                                 .pinnableNow = changes.pinnable || always,
                                 .detector = m_input.detector,
                                 .session = m_input.session};
        IVM_TRY(const RangeSet ranges, m_input.measured.of(input, m_call));
        m_plan.ranges.add(ranges);
        return {};
    }

    // What others did to the target since our last commit is undone like a change of the source:
    // recomputed.
    Status measureTarget()
    {
        const auto &shape = m_input.view.shape;
        if (!m_plan.bookmark || m_plan.bookmark->targetHead.token == m_plan.target->token ||
            m_input.mode == RefreshMode::Full)
            return {};
        const QString name = m_input.view.spec.target.text();
        QStringList columns;
        for (const auto &output : m_plan.bookmark->outputs)
            columns.append(output.name);
        const ChangesRequest request{
            .table = m_input.view.spec.target,
            .from = m_plan.bookmark->targetHead,
            .to = *m_plan.target,
            .column = shape.bucket ? shape.columns[shape.bucket->output].name : QString(),
            .columns = columns};
        IVM_TRY(const TableChanges changes, m_input.detector.changes(request, m_call));
        if (!sameColumns(changes.columns, m_plan.bookmark->targetColumns)) {
            callForDiff(QStringLiteral("%1: %2").arg(
                name, columnDifference(m_plan.bookmark->targetColumns, changes.columns)));
        } else if (changes.unmeasurable) {
            callForDiff(QStringLiteral("%1: %2").arg(name, *changes.unmeasurable));
        } else if (!changes.files.isEmpty() &&
                   (!shape.isRanges() || !followedColumn(m_plan.sources.front().mark.columns))) {
            callForDiff(QStringLiteral("%1 was changed by somebody else").arg(name));
        } else if (!changes.files.isEmpty() && !m_plan.bookmark->resumeFrom.isEmpty()) {
            callForDiff(QStringLiteral("%1 was changed while it was built").arg(name));
        } else if (!changes.files.isEmpty()) {
            m_targetChanged = true;
            const auto &output = m_plan.bookmark->outputs[shape.bucket->output];
            const auto column = std::ranges::find(changes.columns, output.name, &Column::name);
            const Column key = column == changes.columns.end()
                                   ? Column{.name = output.name, .type = output.type}
                                   : *column;
            return addRanges({request.table, key, shape.bucket->function.ofKeys()}, request,
                             changes, false);
        }
        return {};
    }

    void decide()
    {
        if (!m_plan.target) {
            m_plan.action = Action::Rebuild;
            m_plan.reason =
                QStringLiteral("%1 does not exist yet").arg(m_input.view.spec.target.text());
        } else if (m_diffReason) {
            m_plan.action = Action::Diff;
            m_plan.reason = *m_diffReason;
        } else if (m_plan.bookmark->resumeFrom.size() > 0) {
            goOnBuilding();
        } else if (m_plan.ranges.coversEverything()) {
            m_plan.action = Action::Diff;
            m_plan.reason =
                QStringLiteral("the changed files do not tell which buckets they touch");
        } else if (!m_plan.ranges.isEmpty()) {
            m_plan.action = Action::Incremental;
            m_plan.reason = m_targetChanged ? QStringLiteral("%1 was changed by somebody else")
                                                  .arg(m_input.view.spec.target.text())
                                            : QStringLiteral("files of the source changed");
        } else {
            m_plan.reason = m_sourceChanged ? QStringLiteral("the changed files hold no rows")
                                            : QStringLiteral("no row changed");
        }
        if (m_plan.action == Action::Rebuild || m_plan.action == Action::Diff)
            m_plan.ranges = {};
    }

    void simplifyRanges()
    {
        if (m_plan.action != Action::Incremental)
            return;
        m_plan.ranges.closeNarrowGaps();
        if (m_plan.ranges.ranges().size() > kFewRanges) {
            const double rows = rowsPerMicrosecond();
            if (rows > 0)
                m_plan.ranges.closeGapsBelow(quint64(kRowsOfARange / rows));
        }
        m_plan.ranges.limitTo(kMostRanges);
    }

    // Of the source, on the average; 0 where nothing tells.
    double rowsPerMicrosecond()
    {
        const auto &source = m_plan.sources.front().mark;
        const auto column = followedColumn(source.columns);
        if (!column)
            return 0;
        const LiveFilesRequest all{
            .table = source.table, .at = source.head, .column = *column, .within = {{}}};
        const auto files = m_input.detector.liveFiles(all, m_call);
        if (!files || !files->bounds.lower || !files->bounds.upper)
            return 0;
        const double width = double(microsFromColumnUnit(column->type, *files->bounds.upper)) -
                             double(microsFromColumnUnit(column->type, *files->bounds.lower));
        return double(files->records) / std::max(width, 1.0);
    }

    // From the sources' state that it began with: what changed since is the next refresh's.
    void goOnBuilding()
    {
        m_plan.action = Action::Rebuild;
        m_plan.resumeFrom = m_plan.bookmark->resumeFrom;
        m_plan.reason = QStringLiteral("the build goes on at %1").arg(m_plan.resumeFrom);
        for (auto &source : m_plan.sources)
            source.mark = *oldMark(source.mark.table);
    }

    // FOR VERSION AS OF uses a snapshot's own schema on most engines, and a column can come and go
    // without a snapshot.
    Status choosePins()
    {
        if (m_plan.action == Action::None)
            return {};
        for (auto &source : m_plan.sources) {
            if (source.mark.head.snapshot) {
                source.pinned = source.mark.pinnable;
                if (!source.pinned) {
                    IVM_TRY(source.pinned, m_input.pinsCurrentSchema());
                }
            }
            source.mark.exact = source.pinned;
        }
        return {};
    }

    const PlanInput &m_input;
    const Call &m_call;
    RefreshPlan m_plan;
    std::optional<QString> m_diffReason;
    bool m_sourceChanged = false;
    bool m_targetChanged = false;
};

bool sameHead(const Heads &heads, const TableName &table, const TableHead &known)
{
    const auto found = heads.constFind(table);
    return found != heads.cend() && found->has_value() && (*found)->token == known.token;
}

bool isCurrentMark(const ShapeSource &source, const Bookmark &bookmark, const Heads &heads)
{
    const auto mark = std::ranges::find(bookmark.sources, source.table, &SourceMark::table);
    return mark != bookmark.sources.end() && mark->exact &&
           sameHead(heads, mark->table, mark->head);
}

}  // namespace

bool sameColumns(const QList<Column> &left, const QList<Column> &right)
{
    return std::ranges::equal(left, right, [](const Column &a, const Column &b) {
        return a.name == b.name && a.type == b.type && a.fieldId == b.fieldId;
    });
}

Result<RefreshPlan> planRefresh(const PlanInput &input, const Call &call)
{
    return Planner(input, call).run();
}

bool isCurrent(const View &view, const std::optional<Bookmark> &bookmark, const Heads &heads)
{
    return bookmark && bookmark->target == view.spec.target && bookmark->resumeFrom.isEmpty() &&
           bookmark->definitionHash == view.spec.definitionHash() &&
           sameHead(heads, bookmark->target, bookmark->targetHead) &&
           std::ranges::all_of(view.shape.sources, [&](const auto &source) {
               return isCurrentMark(source, *bookmark, heads);
           });
}

}  // namespace ivm
