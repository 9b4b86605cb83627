#include "framework/refresh/refresh.h"

#include "framework/refresh/view_refresh.h"

#include <algorithm>

namespace ivm {

namespace {

std::optional<Bookmark> bookmarkOf(const QList<Bookmark> &bookmarks, const QString &view)
{
    const auto found = std::ranges::find(bookmarks, view, &Bookmark::view);
    return found == bookmarks.end() ? std::nullopt : std::optional(*found);
}

// Every table of the views once, with the state that a bookmark knows of it.
QList<HeadRequest> headRequests(const QList<View> &views, const QList<Bookmark> &bookmarks)
{
    QHash<TableName, TableHead> known;
    for (const auto &bookmark : bookmarks) {
        known.insert(bookmark.target, bookmark.targetHead);
        for (const auto &source : bookmark.sources)
            known.insert(source.table, source.head);
    }
    QList<HeadRequest> requests;
    QSet<TableName> asked;
    const auto ask = [&](const TableName &table) {
        if (asked.contains(table))
            return;
        asked.insert(table);
        const auto head = known.constFind(table);
        requests.append({table, head == known.cend() ? std::nullopt : std::optional(*head)});
    };
    for (const auto &view : views) {
        for (const auto &source : view.shape.sources)
            ask(source.table);
        ask(view.spec.target);
    }
    return requests;
}

}  // namespace

QString actionName(Action action)
{
    switch (action) {
    case Action::None: return QStringLiteral("none");
    case Action::Incremental: return QStringLiteral("incremental");
    case Action::Diff: return QStringLiteral("diff");
    case Action::Rebuild: return QStringLiteral("rebuild");
    case Action::Error: return QStringLiteral("error");
    }
    Q_UNREACHABLE();
}

Result<Heads> Refresher::poll(const QList<View> &views, const QList<Bookmark> &bookmarks,
                              const Call &call)
{
    const auto requests = headRequests(views, bookmarks);
    IVM_TRY(const auto answers, m_services.detector.heads(requests, call));
    if (answers.size() != requests.size())
        return fail(internalError(QStringLiteral("the detector answered %1 of %2 tables")
                                      .arg(answers.size())
                                      .arg(requests.size())));
    Heads heads;
    for (qsizetype i = 0; i < requests.size(); ++i)
        heads.insert(requests[i].table, answers[i]);
    return heads;
}

Result<QList<RefreshOutcome>> Refresher::refresh(const QList<View> &views, RefreshMode mode,
                                                 const Call &call, const OnStart &onStart,
                                                 const OnDone &onDone)
{
    IVM_TRY(const auto bookmarks, m_services.store.bookmarks());
    IVM_TRY(Heads heads, poll(views, bookmarks, call));
    QList<RefreshOutcome> outcomes;
    for (const auto &view : views) {
        if (onStart)
            onStart(view);
        ViewRefresh refresh(m_services, view, heads, call);
        outcomes.append(refresh.run(mode, bookmarkOf(bookmarks, view.spec.name)));
        if (onDone)
            onDone(outcomes.last());
    }
    return outcomes;
}

Result<Explanation> Refresher::explain(const View &view, const Call &call)
{
    IVM_TRY(const auto bookmarks, m_services.store.bookmarks());
    IVM_TRY(Heads heads, poll({view}, bookmarks, call));
    return ViewRefresh(m_services, view, heads, call)
        .explain(bookmarkOf(bookmarks, view.spec.name));
}

}  // namespace ivm
