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

// What the bookmarks know of the tables.
Heads headsOf(const QList<Bookmark> &bookmarks)
{
    Heads known;
    for (const auto &bookmark : bookmarks) {
        known.insert(bookmark.target, bookmark.targetHead);
        for (const auto &source : bookmark.sources)
            known.insert(source.table, source.head);
    }
    return known;
}

// Every table of the views once.
QList<HeadRequest> headRequests(const QList<View> &views, const Heads &known,
                                const QList<TableName> &more)
{
    QList<HeadRequest> requests;
    QSet<TableName> asked;
    const auto ask = [&](const TableName &table) {
        if (asked.contains(table))
            return;
        asked.insert(table);
        const auto head = known.constFind(table);
        const bool isKnown = head != known.cend() && head->has_value();
        requests.append({table, isKnown ? std::optional(**head) : std::nullopt});
    };
    for (const auto &view : views) {
        for (const auto &source : view.shape.sources)
            ask(source.table);
        ask(view.spec.target);
    }
    // Last: what a table that is looked at later says is no older than the others.
    for (const auto &table : more)
        ask(table);
    return requests;
}

}  // namespace

RefreshOutcome errorOutcome(const QString &view, Error error)
{
    RefreshOutcome outcome;
    outcome.view = view;
    outcome.action = Action::Error;
    outcome.reason = error.text();
    outcome.error = std::move(error);
    return outcome;
}

Status checkSourcesBuilt(const View &view, const QList<Bookmark> &bookmarks)
{
    for (const auto &source : view.shape.sources) {
        const auto made = std::ranges::find(bookmarks, source.table, &Bookmark::target);
        if (made == bookmarks.end() || made->resumeFrom.isEmpty())
            continue;
        return fail(conflictError(QStringLiteral(
                                      "view '%1': its source %2 is still being built, by view '%3'")
                                      .arg(view.spec.name, source.table.text(), made->view))
                        .withCode(kSourceBeingBuilt)
                        .at(view.spec.queryPlace)
                        .withHint(QString(QStringLiteral("Run: ivmctl refresh ") + made->view)));
    }
    return {};
}

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

RefreshRecord recordOf(const RefreshOutcome &outcome, const QDateTime &started)
{
    return {.view = outcome.view,
            .action = actionName(outcome.action),
            .reason = outcome.reason,
            .started = started,
            .seconds = outcome.seconds,
            .rowsRead = outcome.rowsRead,
            .rowsWritten = outcome.rowsWritten,
            .rowsDeleted = outcome.rowsDeleted,
            .statementId = outcome.statementId,
            .error = outcome.error ? outcome.error->text() : QString()};
}

Result<Heads> Refresher::look(const QList<View> &views, const Heads &known, const Call &call,
                              const QList<TableName> &more)
{
    const auto requests = headRequests(views, known, more);
    if (requests.isEmpty())
        return Heads();
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
    IVM_TRY(Heads heads, look(views, headsOf(bookmarks), call));
    MeasuredRanges measured;
    QList<RefreshOutcome> outcomes;
    for (const auto &view : views) {
        if (onStart)
            onStart(view);
        auto built = checkSourcesBuilt(view, bookmarks);
        // It may have been finished by now.
        if (!built) {
            const auto now = m_services.store.bookmarks();
            built = now ? checkSourcesBuilt(view, *now) : Status(fail(now.error()));
        }
        if (!built) {
            outcomes.append(errorOutcome(view.spec.name, std::move(built).error()));
            outcomes.last().strategy = view.shape.strategy;
        } else {
            outcomes.append(refreshOne(view, mode, bookmarkOf(bookmarks, view.spec.name), heads,
                                       measured, call));
        }
        if (onDone)
            onDone(outcomes.last());
    }
    return outcomes;
}

RefreshOutcome Refresher::refreshOne(const View &view, RefreshMode mode,
                                     const std::optional<Bookmark> &known, Heads &heads,
                                     MeasuredRanges &measured, const Call &call)
{
    return ViewRefresh(m_services, view, heads, measured, call).run(mode, known);
}

Result<Explanation> Refresher::explain(const View &view, const Call &call)
{
    IVM_TRY(const auto bookmarks, m_services.store.bookmarks());
    IVM_TRY(Heads heads, look({view}, headsOf(bookmarks), call));
    MeasuredRanges measured;
    return ViewRefresh(m_services, view, heads, measured, call)
        .explain(bookmarkOf(bookmarks, view.spec.name));
}

Result<RefreshOutcome> refreshed(const RefreshServices &services, const View &view,
                                 RefreshMode mode, const Call &call)
{
    IVM_TRY(const auto outcomes, Refresher(services).refresh({view}, mode, call));
    if (outcomes.front().error)
        return fail(*outcomes.front().error);
    return outcomes.front();
}

}  // namespace ivm
