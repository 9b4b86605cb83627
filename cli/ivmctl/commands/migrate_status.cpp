// ivmctl migrate status: where the catalog stands.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/migration_documents.h"

namespace ivm::ctl {

namespace {

using namespace migrate;

QString timeText(const QDateTime &time)
{
    return time.isValid() ? time.toUTC().toString(Qt::ISODate) : QString();
}

void print(Terminal &terminal, const MigrationFolder &folder, const LineStatus &status)
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
    if (const QString open = openRunText(status.state); !open.isEmpty())
        terminal.line(terminal.paint(Colour::Red, visible(open)));
    if (status.state.lock())
        terminal.line(terminal.paint(
            Colour::Yellow,
            QString(QStringLiteral("%1 is at work since %2: %3%4")
                        .arg(visible(status.state.lock()->owner),
                             timeText(status.state.lock()->since),
                             visible(status.state.lock()->doing),
                             status.state.lock()->isStale ? QStringLiteral(" (no sign of life)")
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
    const LineStatus status = lineStatus(migrating.folder(), *history);
    if (context.terminal.isJson())
        context.terminal.json(lineStatusJson(migrating.folder(), status));
    else
        print(context.terminal, migrating.folder(), status);
    for (const auto &error : status.drift)
        context.terminal.error(error);
    return status.isAtHead() ? Exit::Done : Exit::Differs;
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
