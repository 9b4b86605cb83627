#include "framework/refresh/recorded_commit.h"

#include "framework/base/fail_point.h"
#include "framework/base/log.h"

#include <QUuid>

namespace ivm {

Result<CommitResult> commitRecorded(const Executor &executor, Session &session, StateStore &store,
                                    const Change &change, const Bookmark &bookmark,
                                    QString &statementId, const Call &call)
{
    Intent intent{.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                  .view = bookmark.view,
                  .target = bookmark.target,
                  .targetHead = bookmark.targetHead,
                  .statementId = {},
                  .summary = {}};
    intent.summary.insert(kBookmarkSummaryKey.toString(), QString::fromUtf8(bookmark.toJson()));
    intent.summary.insert(kIntentSummaryKey.toString(), intent.id);
    const auto save = [&]() -> Status {
        IVM_CHECK(store.saveIntent(intent));
        return failPoint(u"refresh.intent_saved");
    };
    // A statement that has an id before it starts is written down with it, and not before.
    if (!executor.can(Capability::QueryIdBeforeStart))
        IVM_CHECK(save());
    const IntentRecorder record = [&](const QString &id) -> Status {
        statementId = id;
        intent.statementId = id;
        IVM_CHECK(save());
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
