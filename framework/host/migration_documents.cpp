#include "framework/host/migration_documents.h"

#include "framework/host/documents.h"
#include "framework/migrate/version_text.h"

#include <algorithm>

namespace ivm {

using namespace migrate;

namespace {

QString timeText(const QDateTime &time)
{
    return time.isValid() ? time.toUTC().toString(Qt::ISODateWithMs) : QString();
}

QJsonValue openJson(const LineState &state)
{
    const auto &open = state.open();
    if (!open)
        return {};
    return QJsonObject{{QStringLiteral("version"), open->version},
                       {QStringLiteral("direction"), directionName(open->direction)},
                       {QStringLiteral("steps_done"), qint64(open->done())},
                       {QStringLiteral("since"), timeText(open->since)},
                       {QStringLiteral("actor"), open->actor},
                       {QStringLiteral("error"), open->error},
                       {QStringLiteral("text"), openRunText(state)}};
}

QJsonArray recordsJson(const LineState &state)
{
    QJsonArray applied;
    for (const auto &record : state.records())
        applied.append(QJsonObject{{QStringLiteral("version"), record.version},
                                   {QStringLiteral("description"), record.description},
                                   {QStringLiteral("status"), migrationStatusName(record.status)},
                                   {QStringLiteral("applied_at"), timeText(record.appliedAt)},
                                   {QStringLiteral("checksum"), record.checksum}});
    return applied;
}

// How many events of a line the API tells: the newest.
constexpr qsizetype kEventsTold = 50;

}  // namespace

LineStatus lineStatus(const MigrationFolder &folder, const MigrationHistory &history)
{
    LineStatus out{LineState(history, folder.line), {}, {}};
    for (const auto &migration : folder.migrations) {
        if (!out.state.isApplied(migration.version))
            out.pending.append(&migration);
    }
    out.drift = driftOf(folder, out.state);
    return out;
}

QString openRunText(const LineState &state)
{
    const auto &open = state.open();
    if (!open)
        return {};
    const QString what = state.isAtWork()        ? QStringLiteral("is at work")
                         : open->error.isEmpty() ? QStringLiteral("did not end")
                                                 : QStringLiteral("failed");
    QString text = QStringLiteral("the %1 of %2 by %3 %4: %5")
                       .arg(directionName(open->direction), versionText(open->version), open->actor,
                            what, open->doneText());
    if (state.isAtWork())
        return text;
    if (const qint64 step = open->unclear(); step > 0)
        text += QStringLiteral(", whether step %1 is, is not known").arg(step);
    if (!open->error.isEmpty())
        text += QStringLiteral(": ") + open->error;
    return text;
}

QJsonObject lineStatusJson(const MigrationFolder &folder, const LineStatus &status)
{
    QJsonArray pending;
    for (const auto *migration : status.pending)
        pending.append(QJsonObject{{QStringLiteral("version"), migration->version},
                                   {QStringLiteral("description"), migration->description}});
    const QJsonArray applied = recordsJson(status.state);
    QJsonArray drift;
    for (const auto &error : status.drift)
        drift.append(errorJson(error));
    return {{QStringLiteral("namespace"), folder.line},
            {QStringLiteral("current"), status.state.current()},
            {QStringLiteral("head"), folder.head()},
            {QStringLiteral("pending"), pending},
            {QStringLiteral("applied"), applied},
            {QStringLiteral("open"), openJson(status.state)},
            {QStringLiteral("drift"), drift},
            {QStringLiteral("lock"), migrationLockJson(status.state.lock())}};
}

QJsonObject migrationEventJson(const MigrationEvent &event)
{
    return {{QStringLiteral("event_id"), event.id},
            {QStringLiteral("at"), timeText(event.at)},
            {QStringLiteral("version"), event.version},
            {QStringLiteral("namespace"), event.line},
            {QStringLiteral("event"), event.event},
            {QStringLiteral("step"), event.step},
            {QStringLiteral("actor"), event.actor},
            {QStringLiteral("host"), event.host},
            {QStringLiteral("tool_version"), event.toolVersion},
            {QStringLiteral("checksum"), event.checksum},
            {QStringLiteral("detail"), event.detail}};
}

QJsonValue migrationLockJson(const std::optional<MigrationLock> &lock)
{
    if (!lock)
        return {};
    return QJsonObject{{QStringLiteral("owner"), lock->owner},
                       {QStringLiteral("doing"), lock->doing},
                       {QStringLiteral("since"), timeText(lock->since)},
                       {QStringLiteral("age_seconds"), qint64(lock->age.count())},
                       {QStringLiteral("stale"), lock->isStale}};
}

Result<QJsonObject> migrationsJson(HistoryStore &store, const Call &call)
{
    IVM_TRY(const auto history, store.history(call));
    QSet<QString> lines;
    for (const auto &record : history.records)
        lines.insert(record.line);
    for (const auto &event : history.open)
        lines.insert(event.line);
    for (const auto &lock : history.locks)
        lines.insert(lock.line);
    QStringList names = lines.values();
    names.sort();
    QJsonArray all;
    QJsonArray told;
    for (const auto &line : std::as_const(names)) {
        const LineState state(history, line);
        QJsonArray views;
        for (const auto &view : history.views) {
            if (view.line == line)
                views.append(view.name);
        }
        all.append(QJsonObject{{QStringLiteral("namespace"), line},
                               {QStringLiteral("current"), state.current()},
                               {QStringLiteral("applied"), recordsJson(state)},
                               {QStringLiteral("open"), openJson(state)},
                               {QStringLiteral("lock"), migrationLockJson(state.lock())},
                               {QStringLiteral("views"), views}});
        IVM_TRY(const auto events, store.events(line, call));
        for (const auto &event : events.last(std::min(events.size(), kEventsTold)))
            told.append(migrationEventJson(event));
    }
    return QJsonObject{{QStringLiteral("namespaces"), all}, {QStringLiteral("events"), told}};
}

}  // namespace ivm
