// ivmctl migrate history: what was done, by whom and when.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/migration_documents.h"

#include <QJsonDocument>

namespace ivm::ctl {

namespace {

QString timeText(const QDateTime &time) { return time.toUTC().toString(Qt::ISODateWithMs); }

QString errorOf(const MigrationEvent &event)
{
    return QJsonDocument::fromJson(event.detail.toUtf8()).object().value(u"error").toString();
}

Exit run(Context &context)
{
    auto opened = Migrating::open(context, BrokenFiles::Warn);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    const auto events = migrating.history().events(migrating.folder().line, context.call);
    if (!events)
        return failWith(context, events.error());
    if (context.terminal.isJson()) {
        QJsonArray all;
        for (const auto &event : *events)
            all.append(migrationEventJson(event));
        context.terminal.json({{QStringLiteral("events"), all}});
        return Exit::Done;
    }
    TablePrinter table(context.terminal, {{QStringLiteral("AT")},
                                          {QStringLiteral("VERSION"), Align::Right},
                                          {QStringLiteral("EVENT")},
                                          {QStringLiteral("STEP"), Align::Right},
                                          {QStringLiteral("BY")},
                                          {QStringLiteral("ERROR")}});
    for (const auto &event : *events)
        table.row({timeText(event.at), QString::number(event.version), event.event,
                   event.step > 0 ? QString::number(event.step) : QString(),
                   event.actor + u'@' + event.host, errorOf(event)});
    table.finish();
    return Exit::Done;
}

}  // namespace

Command migrateHistoryCommand()
{
    return {{.name = QStringLiteral("migrate history"),
             .words = {},
             .summary = QStringLiteral("what was done, by whom and when"),
             .details = QStringLiteral("Lists the events, oldest first, which are never changed "
                                       "or removed. Writes nothing."),
             .examples = {QStringLiteral("ivmctl migrate history"),
                          QStringLiteral("ivmctl migrate history --json")},
             .options = migrateOptions(),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
