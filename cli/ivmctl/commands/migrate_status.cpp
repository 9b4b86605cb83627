// ivmctl migrate status: where the catalog stands.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "cli/ivmctl/table_printer.h"

#include <algorithm>

namespace ivm::ctl {

namespace {

using namespace migrate;

QString timeText(const QDateTime &time)
{
    return time.isValid() ? time.toUTC().toString(Qt::ISODate) : QString();
}

struct Status {
    LineState state;
    QList<const Migration *> pending;
    QList<Error> drift;
    std::optional<MigrationLock> lock;
};

Status statusOf(const MigrationFolder &folder, const MigrationHistory &history)
{
    Status out{LineState(history, folder.line), {}, {}, {}};
    for (const auto &migration : folder.migrations) {
        if (!out.state.isApplied(migration.version))
            out.pending.append(&migration);
    }
    out.drift = driftOf(folder, out.state);
    const auto lock = std::ranges::find(history.locks, folder.line, &MigrationLock::line);
    if (lock != history.locks.end())
        out.lock = *lock;
    return out;
}

QString openText(const OpenRun &open)
{
    const QString what =
        open.error.isEmpty() ? QStringLiteral("did not end") : QStringLiteral("failed");
    const auto unclear = std::ranges::find(open.steps, StepState::Unclear, &OpenRun::Step::state);
    QString text = QStringLiteral("the %1 of %2 by %3 %4: %5 of its steps are done")
                       .arg(directionName(open.direction),
                            QStringLiteral("%1").arg(open.version, 4, 10, QLatin1Char('0')),
                            open.actor, what, QString::number(open.done()));
    if (unclear != open.steps.end())
        text += QStringLiteral(", whether step %1 is, is not known")
                    .arg(unclear - open.steps.begin() + 1);
    if (!open.error.isEmpty())
        text += QStringLiteral(": ") + open.error;
    return text;
}

QJsonValue openJson(const std::optional<OpenRun> &open)
{
    if (!open)
        return {};
    return QJsonObject{{QStringLiteral("version"), open->version},
                       {QStringLiteral("direction"), directionName(open->direction)},
                       {QStringLiteral("steps_done"), qint64(open->done())},
                       {QStringLiteral("since"), timeText(open->since)},
                       {QStringLiteral("actor"), open->actor},
                       {QStringLiteral("error"), open->error},
                       {QStringLiteral("text"), openText(*open)}};
}

QJsonObject document(Context &context, const MigrationFolder &folder, const Status &status)
{
    QJsonArray pending;
    for (const auto *migration : status.pending)
        pending.append(QJsonObject{{QStringLiteral("version"), migration->version},
                                   {QStringLiteral("description"), migration->description}});
    QJsonArray applied;
    for (const auto &record : status.state.records())
        applied.append(QJsonObject{{QStringLiteral("version"), record.version},
                                   {QStringLiteral("description"), record.description},
                                   {QStringLiteral("status"), migrationStatusName(record.status)},
                                   {QStringLiteral("applied_at"), timeText(record.appliedAt)},
                                   {QStringLiteral("checksum"), record.checksum}});
    return {{QStringLiteral("namespace"), folder.line},
            {QStringLiteral("current"), status.state.current()},
            {QStringLiteral("head"), folder.head()},
            {QStringLiteral("pending"), pending},
            {QStringLiteral("applied"), applied},
            {QStringLiteral("open"), openJson(status.state.open())},
            {QStringLiteral("drift"), errorsJson(context, status.drift)},
            {QStringLiteral("lock"), lockJson(status.lock)}};
}

void print(Terminal &terminal, const MigrationFolder &folder, const Status &status)
{
    TablePrinter table(terminal, {{QStringLiteral("VERSION"), Align::Right},
                                  {QStringLiteral("STATUS")},
                                  {QStringLiteral("APPLIED AT")},
                                  {QStringLiteral("DESCRIPTION")}});
    QMap<qint64, QStringList> rows;
    for (const auto &migration : folder.migrations)
        rows.insert(migration.version, {QString::number(migration.version),
                                        QStringLiteral("pending"),
                                        {},
                                        migration.description});
    for (const auto &record : status.state.records()) {
        const bool isPending =
            record.status == MigrationStatus::RolledBack && rows.contains(record.version);
        if (!isPending)
            rows.insert(record.version,
                        {QString::number(record.version), migrationStatusName(record.status),
                         timeText(record.appliedAt), record.description});
    }
    for (const auto &row : std::as_const(rows))
        table.row(row);
    table.finish();
    if (const auto &open = status.state.open())
        terminal.line(terminal.paint(Colour::Red, openText(*open)));
    if (status.lock)
        terminal.line(terminal.paint(
            Colour::Yellow,
            QString(QStringLiteral("%1 is at work since %2: %3%4")
                        .arg(status.lock->owner, timeText(status.lock->since), status.lock->doing,
                             status.lock->isStale ? QStringLiteral(" (no sign of life)")
                                                  : QString()))));
}

Exit run(Context &context)
{
    auto opened = Migrating::open(context);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    const auto history = migrating.history().history(context.call);
    if (!history)
        return failWith(context, history.error());
    const Status status = statusOf(migrating.folder(), *history);
    if (context.terminal.isJson())
        context.terminal.json(document(context, migrating.folder(), status));
    else
        print(context.terminal, migrating.folder(), status);
    for (const auto &error : status.drift)
        context.terminal.error(error);
    const bool isAtHead =
        status.pending.isEmpty() && status.drift.isEmpty() && !status.state.open();
    return isAtHead ? Exit::Done : Exit::Differs;
}

}  // namespace

Command migrateStatusCommand()
{
    return {{.name = QStringLiteral("migrate status"),
             .words = {},
             .summary = QStringLiteral("where the catalog stands"),
             .details = QStringLiteral(
                 "Lists the migrations with what became of them, a run that failed or died, who is "
                 "at work, and\n"
                 "where the files are not those that were applied. Writes nothing. Ends with 4 "
                 "when something\n"
                 "is pending, open or different."),
             .examples = {QStringLiteral("ivmctl migrate status"),
                          QStringLiteral("ivmctl migrate status --json")},
             .options = migrateOptions(),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
