#include "framework/refresh/recorded_commit.h"

#include "framework/base/fail_point.h"
#include "framework/base/log.h"

#include <QUuid>

namespace ivm {

Result<CommitResult> commitRecorded(Session &session, StateStore &store, const Change &change,
                                    const Bookmark &bookmark, QString &statementId,
                                    const Call &call)
{
    Intent intent{.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                  .view = bookmark.view,
                  .target = bookmark.target,
                  .targetHead = bookmark.targetHead,
                  .statementId = {},
                  .summary = {}};
    intent.summary.insert(kBookmarkSummaryKey.toString(), QString::fromUtf8(bookmark.toJson()));
    intent.summary.insert(kIntentSummaryKey.toString(), intent.id);
    IVM_CHECK(store.saveIntent(intent));
    IVM_CHECK(failPoint(u"refresh.intent_saved"));
    const IntentRecorder record = [&](const QString &id) -> Status {
        statementId = id;
        intent.statementId = id;
        IVM_CHECK(store.saveIntent(intent));
        return failPoint(u"refresh.statement_recorded");
    };
    auto result = session.commit(change, intent, record, call);
    // A commit of unknown outcome keeps its intent: the next refresh settles it. So it does with
    // one that cannot be forgotten.
    if (!result && result.error().kind != ErrorKind::CommitUnknown) {
        if (const auto forgot = store.forgetIntent(bookmark.view); !forgot)
            qCWarning(logRefresh, "view %s: %s", qPrintable(bookmark.view),
                      qPrintable(forgot.error().text()));
    }
    if (result)
        IVM_CHECK(failPoint(u"refresh.committed"));
    return result;
}

}  // namespace ivm
