// ivmctl tables: what the catalog holds, and one table's columns, history and files.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/commands/table_parts.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/value_text.h"
#include "framework/host/documents.h"
#include "framework/host/table_list.h"

namespace ivm::ctl {

namespace {

QString countText(const std::optional<qint64> &count)
{
    return count ? QString::number(*count) : QStringLiteral("?");
}

void printList(Terminal &terminal, const QList<TableState> &states)
{
    TablePrinter table(terminal, {{QStringLiteral("SCHEMA")},
                                  {QStringLiteral("TABLE")},
                                  {QStringLiteral("ROWS"), Align::Right},
                                  {QStringLiteral("FILES"), Align::Right},
                                  {QStringLiteral("BYTES"), Align::Right},
                                  {QStringLiteral("LAST CHANGE")}});
    for (const auto &state : states)
        table.row({state.name.schema, state.name.table, countText(state.totals.rows),
                   countText(state.totals.files), countText(state.totals.bytes),
                   state.lastChange.isEmpty() && !state.error ? QStringLiteral("never")
                                                              : state.lastChange});
    table.finish();
}

Exit listTables(Context &context, Session &session)
{
    const auto states = tablesOf(session, context.host().tableDefaults(), context.call);
    if (!states)
        return failWith(context, states.error());
    Exit exit = Exit::Done;
    for (const auto &state : *states) {
        if (!state.error)
            continue;
        // Of Trino's, some are no Iceberg tables.
        if (state.error->kind == ErrorKind::Unsupported) {
            context.terminal.warning(*state.error);
        } else {
            context.terminal.error(*state.error);
            exit = Exit::Partly;
        }
    }
    if (context.terminal.isJson()) {
        QJsonArray list;
        for (const auto &state : *states)
            list.append(tableJson(state));
        context.terminal.json({{QStringLiteral("tables"), list}});
    } else if (states->isEmpty()) {
        context.terminal.note(u"there are no tables");
    } else {
        printList(context.terminal, *states);
    }
    return exit;
}

QStringList partitioningOf(const TableInfo &info)
{
    QStringList texts;
    for (const auto &field : info.partitioning)
        texts.append(field.text());
    return texts;
}

void printOne(Terminal &terminal, const TableState &state)
{
    const auto line = [&](const char *what, const QString &text) {
        if (!text.isEmpty())
            terminal.line(QStringLiteral("%1 %2").arg(
                QString(QString::fromLatin1(what) + u':').leftJustified(14), visible(text)));
    };
    const auto &head = state.info.head.snapshot;
    line("table", state.name.text());
    line("rows", countText(state.totals.rows));
    line("files", countText(state.totals.files));
    line("bytes", countText(state.totals.bytes));
    line("snapshot", head ? QString::number(*head) : QStringLiteral("none"));
    line("last change", state.lastChange);
    line("partitioning", partitioningOf(state.info).join(QStringLiteral(", ")));
    line("sorted by", state.info.sortedBy.join(QStringLiteral(", ")));
    terminal.line(QString());
    TablePrinter columns(terminal, {{QStringLiteral("COLUMN")},
                                    {QStringLiteral("TYPE")},
                                    {QStringLiteral("NULL")},
                                    {QStringLiteral("COMMENT")}});
    for (const auto &column : state.info.columns)
        columns.row({column.name, column.type.text(),
                     column.nullable ? QStringLiteral("yes") : QStringLiteral("no"),
                     column.comment});
    columns.finish();
}

QJsonObject oneJson(const TableState &state)
{
    QJsonObject object = tableJson(state);
    QJsonArray columns;
    for (const auto &column : state.info.columns)
        columns.append(QJsonObject{{QStringLiteral("name"), column.name},
                                   {QStringLiteral("type"), column.type.text()},
                                   {QStringLiteral("nullable"), column.nullable},
                                   {QStringLiteral("comment"), column.comment}});
    object.insert(QStringLiteral("columns"), columns);
    object.insert(QStringLiteral("partitioning"),
                  QJsonArray::fromStringList(partitioningOf(state.info)));
    object.insert(QStringLiteral("sorted_by"), QJsonArray::fromStringList(state.info.sortedBy));
    return object;
}

Exit tellOne(Context &context, Session &session)
{
    const auto name =
        parseTableName(context.arguments.words.first(), context.host().tableDefaults());
    if (!name)
        return failWith(context, name.error(), Exit::Usage);
    const auto state = tableStateOf(session, *name, context.call);
    if (!state)
        return failWith(context, state.error());
    QList<QPair<TablePart, Rows>> parts;
    for (const auto &part : {snapshotsPart(*name), filesPart(*name)}) {
        if (!context.arguments.has(part.option))
            continue;
        auto rows = query(session, part.sql, context.call);
        if (!rows)
            return failWith(context, rows.error());
        parts.append({part, *std::move(rows)});
    }
    if (!context.terminal.isJson()) {
        printOne(context.terminal, *state);
        for (const auto &[part, rows] : parts) {
            context.terminal.line(QString());
            printPart(context.terminal, part, rows);
        }
        return Exit::Done;
    }
    QJsonObject document = oneJson(*state);
    for (const auto &[part, rows] : parts)
        document.insert(part.member, partJson(part, rows));
    context.terminal.json(document);
    return Exit::Done;
}

Exit run(Context &context)
{
    if (!isConfigured(context))
        return Exit::Usage;
    const bool one = !context.arguments.words.isEmpty();
    if (!one && !context.arguments.options.isEmpty()) {
        return failWith(context,
                        invalidError(QStringLiteral("'ivmctl tables %1' needs the name of a table")
                                         .arg(context.arguments.options.firstKey()))
                            .withCode(u"usage"),
                        Exit::Usage);
    }
    if (const auto there = context.host().warehouseIsThere(); !there)
        return failWith(context, there.error());
    const auto executor = context.host().executor();
    if (!executor)
        return failWith(context, executor.error());
    const auto session = (*executor)->openSession({}, context.call);
    if (!session)
        return failWith(context, session.error());
    return one ? tellOne(context, **session) : listTables(context, **session);
}

}  // namespace

Command tablesCommand()
{
    return {
        {.name = QStringLiteral("tables"),
         .words = QStringLiteral("[NAME]"),
         .summary = QStringLiteral("what the catalog holds, and a table's history"),
         .details = QStringLiteral(
             "Lists the tables of the engine's catalog with what their heads hold: rows, data "
             "files, bytes,\n"
             "and when they last changed. With a name it tells one table's columns, partitioning "
             "and sort\n"
             "order, and on request its snapshots and its files. A '?' stands for what the table "
             "does not tell."),
         .examples = {QStringLiteral("ivmctl tables"),
                      QStringLiteral("ivmctl tables flights --snapshots"),
                      QStringLiteral("ivmctl tables main.flights --files --json")},
         .options = {{QStringLiteral("--snapshots"), {}, QStringLiteral("the table's snapshots")},
                     {QStringLiteral("--files"), {}, QStringLiteral("the files of its head")}},
         .leastWords = 0,
         .mostWords = 1},
        run};
}

}  // namespace ivm::ctl
