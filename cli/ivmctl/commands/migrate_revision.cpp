// ivmctl migrate revision: makes the next migration file.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "framework/migrate/autogenerate.h"
#include "framework/migrate/revision.h"

#include <QDir>
#include <QFileInfo>

namespace ivm::ctl {

namespace {

using namespace migrate;

const QString kMessage = QStringLiteral("--message");
const QString kAutogenerate = QStringLiteral("--autogenerate");

Exit tell(Context &context, const Result<QString> &made)
{
    if (!made)
        return failWith(context, made.error(), exitFor(made.error()));
    if (context.terminal.isJson())
        context.terminal.json({{QStringLiteral("file"), *made}});
    else
        context.terminal.line(QStringLiteral("made %1").arg(visible(*made)));
    return Exit::Done;
}

// What views.yaml says; none where there is no such file.
Result<std::optional<QList<ViewSpec>>> wantedViews(Host &host)
{
    if (!QFileInfo::exists(host.config().viewsFile))
        return std::nullopt;
    const auto file = readViewsFile(host.config().viewsFile, host.tableDefaults());
    if (!file.problems.isEmpty())
        return fail(file.problems.first());
    QList<ViewSpec> out;
    for (const auto &view : file.views) {
        if (!view.problems.isEmpty())
            return fail(view.problems.first());
        out.append(view.spec);
    }
    return out;
}

Result<Generated> generate(Context &context, Migrating &migrating)
{
    Host &host = context.host();
    const auto tables = readTableFiles(
        QDir(host.config().folder).filePath(QStringLiteral("schema")), host.tableDefaults());
    if (!tables.problems.isEmpty())
        return fail(tables.problems.first());
    IVM_TRY(const auto views, wantedViews(host));
    IVM_TRY(const auto history, migrating.history().history(context.call));
    IVM_TRY(Executor * executor, host.executor());
    IVM_TRY(const auto session, executor->openSession({}, context.call));
    SessionTables applied(*session, context.call);
    // The views of the file are what is wanted, not what others have.
    return autogenerate({.folder = migrating.folder(),
                         .history = history,
                         .views = views,
                         .tables = tables.tables,
                         .others = {},
                         .defaults = host.tableDefaults(),
                         .applied = applied});
}

Exit runAutogenerate(Context &context, const QString &message)
{
    auto opened = Migrating::open(context);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    const auto generated = generate(context, migrating);
    if (!generated)
        return failWith(context, generated.error(), exitFor(generated.error()));
    if (!generated->problems.isEmpty()) {
        for (const auto &problem : generated->problems.mid(1))
            context.terminal.error(problem);
        return failWith(context, generated->problems.first());
    }
    if (generated->upgrade.isEmpty()) {
        if (context.terminal.isJson())
            context.terminal.json({{QStringLiteral("file"), QJsonValue::Null}});
        context.terminal.note(u"no changes: no file was made");
        return Exit::Done;
    }
    const auto text = generatedText(*generated, message, context.host().tableDefaults());
    return tell(context, writeRevision(migrating.folder(), message, text));
}

Exit run(Context &context)
{
    const QString message = context.arguments.options.value(kMessage);
    if (context.arguments.has(kAutogenerate))
        return runAutogenerate(context, message.isEmpty() ? QStringLiteral("changes") : message);
    if (!isConfigured(context))
        return Exit::Usage;
    const auto folder = readFolder(folderRequest(context));
    if (!folder.problems.isEmpty())
        return failWith(context, folder.problems.first(), Exit::Usage);
    return tell(context, makeRevision(folder, message));
}

}  // namespace

Command migrateRevisionCommand()
{
    return {{.name = QStringLiteral("migrate revision"),
             .words = {},
             .summary = QStringLiteral("makes the next migration file"),
             .details = QStringLiteral(
                 "Makes a file with the next number and a name made of the text, for you to fill "
                 "in; with\n"
                 "--autogenerate it holds what differs between views.yaml and schema/*.yaml (each "
                 "the fields\n"
                 "of one create_table) and what is applied, for you to read. No file is made when "
                 "nothing\n"
                 "differs."),
             .examples = {QStringLiteral("ivmctl migrate revision -m 'add departures per hour'"),
                          QStringLiteral("ivmctl migrate revision --autogenerate -m 'new views'")},
             .options = migrateOptions({{kMessage, QStringLiteral("TEXT"),
                                         QStringLiteral("what it is about"), QStringLiteral("-m")},
                                        {kAutogenerate, {}, QStringLiteral("from what differs")}}),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
