#include "framework/view/graph.h"

#include <QHash>

#include <algorithm>

namespace ivm {

namespace {

// For each view the views whose targets it reads.
QList<QList<qsizetype>> upstreams(const QList<View> &views)
{
    QHash<TableName, qsizetype> byTarget;
    for (qsizetype i = 0; i < views.size(); ++i)
        byTarget.insert(views[i].spec.target, i);
    QList<QList<qsizetype>> result(views.size());
    for (qsizetype i = 0; i < views.size(); ++i) {
        for (const auto &source : views[i].shape.sources) {
            if (const auto found = byTarget.constFind(source.table); found != byTarget.cend())
                result[i].append(*found);
        }
    }
    return result;
}

// The views on a shortest way from `from` back to itself, without it; nothing when there is none.
std::optional<QList<qsizetype>> wayBack(const QList<QList<qsizetype>> &upstream, qsizetype from)
{
    QHash<qsizetype, qsizetype> cameFrom;
    QList<qsizetype> queue{from};
    for (qsizetype head = 0; head < queue.size(); ++head) {
        for (const qsizetype next : upstream[queue[head]]) {
            if (next == from) {
                QList<qsizetype> way;
                for (qsizetype at = queue[head]; at != from; at = cameFrom[at])
                    way.prepend(at);
                return way;
            }
            if (!cameFrom.contains(next)) {
                cameFrom.insert(next, queue[head]);
                queue.append(next);
            }
        }
    }
    return {};
}

}  // namespace

RefreshOrder refreshOrder(const QList<View> &views)
{
    const auto upstream = upstreams(views);
    RefreshOrder result;
    QList<bool> settled(views.size(), false);
    for (qsizetype i = 0; i < views.size(); ++i) {
        if (wayBack(upstream, i)) {
            result.inCycle.append(i);
            settled[i] = true;
        }
    }
    // Views behind a cycle still run: their sources are tables that exist, only nobody refreshes
    // them.
    for (bool moved = true; moved;) {
        moved = false;
        for (qsizetype i = 0; i < views.size(); ++i) {
            const bool ready =
                std::ranges::all_of(upstream[i], [&](qsizetype up) { return settled[up]; });
            if (settled[i] || !ready)
                continue;
            result.order.append(i);
            settled[i] = true;
            moved = true;
        }
    }
    return result;
}

Error cycleError(const QList<View> &views, qsizetype index)
{
    const auto way = wayBack(upstreams(views), index).value_or(QList<qsizetype>());
    QStringList names;
    for (const qsizetype at : way)
        names.append(views[at].spec.name);
    Error error = invalidError(QStringLiteral("view '%1' reads itself through %2")
                                   .arg(views[index].spec.name, names.join(QStringLiteral(", "))))
                      .withCode(u"cycle")
                      .withHint(u"Let one of them read another table");
    error.place = views[index].spec.queryPlace;
    return error;
}

}  // namespace ivm
