#include "plugins/trino_sql/at_work.h"

namespace ivm::trino {

namespace {

// How the look itself begins, which is a statement, too, and may be of the same purpose.
const QString kLook = QStringLiteral("SELECT count(*) FROM system.runtime.queries AS q WHERE");

QString lookSql(const QString &comment)
{
    return kLook + QStringLiteral(
                       " substr(q.query, -%1) = %2 AND NOT starts_with(q.query, %3) AND (q.state "
                       "NOT IN ('FINISHED', 'FAILED') OR EXISTS (SELECT 1 FROM "
                       "system.runtime.tasks AS t WHERE t.query_id = q.query_id AND t.state NOT "
                       "IN ('FINISHED', 'CANCELED', 'ABORTED', 'FAILED')))")
                       .arg(QString::number(comment.toUcs4().size()), quotedLiteral(comment),
                            quotedLiteral(kLook));
}

}  // namespace

QString purposeLine(const QString &purpose)
{
    QString line = purpose;
    for (QChar &character : line) {
        if (!character.isPrint() || character.isSpace())
            character = u' ';
    }
    return line;
}

QString purposeComment(const QString &purpose)
{
    return purpose.isEmpty() ? QString()
                             : QString(QStringLiteral("\n-- iceberg-ivm: ") + purposeLine(purpose));
}

Result<bool> isAtWork(Session &session, const QString &purpose, const Call &call)
{
    auto rows = query(session, lookSql(purposeComment(purpose)), call);
    if (!rows)
        return fail(
            std::move(rows)
                .error()
                .during(QStringLiteral("asking whether statements of '%1' still run").arg(purpose))
                .at({}));
    return !rows->rows.empty() && rows->rows.front().front() != Value{qint64(0)};
}

}  // namespace ivm::trino
