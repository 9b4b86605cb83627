#include "framework/refresh/plan_change.h"

#include <algorithm>

namespace ivm {

Pins pinsOf(const RefreshPlan &plan)
{
    Pins pins;
    for (const auto &source : plan.sources) {
        if (source.pinned)
            pins.insert(source.mark.table, *source.mark.head.snapshot);
    }
    return pins;
}

// The column that the view's bucket follows.
const Column &bucketColumn(const ViewShape &shape, const RefreshPlan &plan)
{
    const auto &columns = plan.sources.front().mark.columns;
    const auto column = std::ranges::find(columns, shape.bucket->column, &Column::name);
    Q_ASSERT(column != columns.end());
    return *column;
}

BucketTypes bucketTypesOf(const ViewShape &shape, const RefreshPlan &plan,
                          const QList<OutputColumn> &outputs)
{
    return {bucketColumn(shape, plan).type, outputs[shape.bucket->output].type};
}

QString statementFor(const View &view, const RefreshPlan &plan)
{
    switch (plan.action) {
    case Action::Incremental:
        return rangeQuery(view.shape, pinsOf(plan), plan.ranges,
                          bucketTypesOf(view.shape, plan, plan.bookmark->outputs));
    case Action::Diff:
    case Action::Rebuild: return pinnedQuery(view.shape, pinsOf(plan));
    case Action::None:
    case Action::Error: return {};
    }
    Q_UNREACHABLE();
}

Change changeFor(const View &view, const RefreshPlan &plan, const QList<OutputColumn> &outputs)
{
    Replacement replacement{view.spec.target, outputs, statementFor(view, plan)};
    if (plan.action != Action::Incremental)
        return ReplaceAll{std::move(replacement)};
    const Type stored = outputs[view.shape.bucket->output].type;
    return ReplaceRanges{std::move(replacement), targetFilter(view.shape, plan.ranges, stored)};
}

Bookmark bookmarkFor(const View &view, const RefreshPlan &plan, const QList<OutputColumn> &outputs,
                     const TargetState &target)
{
    Bookmark bookmark{.view = view.spec.name,
                      .definitionHash = view.spec.definitionHash(),
                      .outputs = outputs,
                      .sources = {},
                      .target = view.spec.target,
                      .targetHead = target.head,
                      .targetColumns = target.columns,
                      .resumeFrom = {}};
    for (const auto &source : plan.sources)
        bookmark.sources.append(source.mark);
    return bookmark;
}

}  // namespace ivm
