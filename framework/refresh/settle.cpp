#include "framework/refresh/settle.h"

#include "framework/base/fail_point.h"
#include "framework/base/log.h"

namespace ivm {

namespace {

// The one that the intent's commit makes true.
Result<Bookmark> bookmarkOf(const Intent &intent)
{
    const auto bytes = intent.summary.value(kBookmarkSummaryKey.toString()).toUtf8();
    return Bookmark::fromJson(bytes, QStringLiteral("the intent of view '%1'").arg(intent.view));
}

Status saveLanded(StateStore &store, const Intent &intent, const Landed &landed)
{
    IVM_TRY(Bookmark bookmark, bookmarkOf(intent));
    bookmark.targetHead = landed.target;
    return store.saveBookmark(bookmark);
}

Status saveInexact(StateStore &store, const Intent &intent)
{
    IVM_TRY(Bookmark bookmark, bookmarkOf(intent));
    makeInexact(bookmark);
    return store.saveBookmark(bookmark);
}

}  // namespace

Status settleIntent(Session &session, StateStore &store, const Intent &intent, const Call &call)
{
    IVM_TRY(const Settlement settlement, session.settle(intent, call));
    IVM_CHECK(failPoint(u"settle.known"));
    if (const auto *landed = std::get_if<Landed>(&settlement)) {
        qCInfo(logRefresh, "view %s: the commit that was left open has landed",
               qPrintable(intent.view));
        return saveLanded(store, intent, *landed);
    }
    if (const auto *unknown = std::get_if<OutcomeUnknown>(&settlement)) {
        qCWarning(logRefresh,
                  "view %s: the outcome of a commit stays unknown (%s): the view will be diffed",
                  qPrintable(intent.view), qPrintable(unknown->reason));
        return saveInexact(store, intent);
    }
    qCInfo(logRefresh, "view %s: the commit that was left open has not landed",
           qPrintable(intent.view));
    return store.forgetIntent(intent.view);
}

Status settleOpenIntent(StateStore &store, const QString &view,
                        const std::function<Result<Session *>()> &session, const Call &call)
{
    IVM_TRY(const auto intent, store.intent(view));
    if (!intent)
        return {};
    IVM_TRY(Session * open, session());
    return settleIntent(*open, store, *intent, call);
}

void makeInexact(Bookmark &bookmark)
{
    for (auto &source : bookmark.sources)
        source.exact = false;
    bookmark.resumeFrom.clear();
}

}  // namespace ivm
