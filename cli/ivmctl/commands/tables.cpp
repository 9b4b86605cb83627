// ivmctl tables: what the catalog holds, and one table's columns, history and files.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/commands/table_parts.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/value_text.h"
#include "framework/host/documents.h"

namespace ivm::ctl {

namespace {

// What a table's head says of it; nothing that the engine does not tell.
struct Totals {
    std::optional<qint64> rows;
    std::optional<qint64> files;
    std::optional<qint64> bytes;
};

struct TableState {
    TableName name;
    TableInfo info;
    Totals totals;
    QString lastChange;          // RFC 3339; empty without a snapshot
    std::optional<Error> error;  // it cannot be read
};

std::optional<qint64> countIn(const QMap<QString, QString> &summary, const char *key)
{
    bool ok = false;
    const qint64 count = summary.value(QString::fromLatin1(key)).toLongLong(&ok);
    return ok ? std::optional(count) : std::nullopt;
}

// Rows are those of the data files without those that position deletes take away; how many rows
// equality deletes match is not known.
Totals totalsOf(const TableInfo &info)
{
    if (!info.head.snapshot)
        return {0, 0, 0};
    Totals totals{countIn(info.headSummary, "total-records"),
                  countIn(info.headSummary, "total-data-files"),
                  countIn(info.headSummary, "total-files-size")};
    if (countIn(info.headSummary, "total-equality-deletes").value_or(0) > 0)
        totals.rows.reset();
    if (totals.rows)
        *totals.rows -= countIn(info.headSummary, "total-position-deletes").value_or(0);
    return totals;
}

Result<QStringList> namesFrom(Session &session, const QString &sql, const Call &call)
{
    IVM_TRY(const auto found, query(session, sql, call));
    QStringList names;
    for (const auto &row : found.rows)
        names.append(cellText(row.front()));
    return names;
}

// Of the catalog's own schemas Trino shows two.
bool isOfTheEngine(const QString &schema)
{
    return schema == u"information_schema" || schema == u"system";
}

Result<QList<TableName>> allTables(Session &session, const TableName &defaults, const Call &call)
{
    const QString catalog = quotedIdentifier(defaults.catalog);
    IVM_TRY(const auto schemas,
            namesFrom(session, QStringLiteral("SHOW SCHEMAS FROM ") + catalog, call));
    QList<TableName> tables;
    for (const QString &schema : schemas) {
        if (isOfTheEngine(schema))
            continue;
        const QString from = catalog + u'.' + quotedIdentifier(schema);
        IVM_TRY(const auto names,
                namesFrom(session, QStringLiteral("SHOW TABLES FROM ") + from, call));
        for (const QString &name : names)
            tables.append({defaults.catalog, schema, name});
    }
    return tables;
}

Result<QString> timeOf(Session &session, const TableName &name, SnapshotId snapshot,
                       const Call &call)
{
    IVM_TRY(const auto found,
            query(session,
                  QStringLiteral("SELECT committed_at FROM %1 WHERE snapshot_id = %2")
                      .arg(name.quotedMetadataTable(u"snapshots"), QString::number(snapshot)),
                  call));
    return found.rows.empty() ? QString() : timeText(found.rows.front().front());
}

Result<TableState> stateOf(Session &session, const TableName &name, const Call &call)
{
    TableState state{.name = name, .info = {}, .totals = {}, .lastChange = {}, .error = {}};
    IVM_TRY(state.info, session.tableInfo(name, call));
    state.totals = totalsOf(state.info);
    if (state.info.head.snapshot) {
        IVM_TRY(state.lastChange, timeOf(session, name, *state.info.head.snapshot, call));
    }
    return state;
}

QJsonValue orNull(const std::optional<qint64> &count)
{
    return count ? QJsonValue(*count) : QJsonValue();
}

QJsonObject stateJson(const TableState &state)
{
    const auto &head = state.info.head.snapshot;
    QJsonObject object{
        {QStringLiteral("catalog"), state.name.catalog},
        {QStringLiteral("schema"), state.name.schema},
        {QStringLiteral("name"), state.name.table},
        {QStringLiteral("rows"), orNull(state.totals.rows)},
        {QStringLiteral("files"), orNull(state.totals.files)},
        {QStringLiteral("bytes"), orNull(state.totals.bytes)},
        {QStringLiteral("snapshot"), head ? QJsonValue(QString::number(*head)) : QJsonValue()},
        {QStringLiteral("last_change"),
         state.lastChange.isEmpty() ? QJsonValue() : QJsonValue(state.lastChange)}};
    if (state.error)
        object.insert(QStringLiteral("error"), errorJson(*state.error));
    return object;
}

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
    const auto names = allTables(session, context.host().tableDefaults(), context.call);
    if (!names)
        return failWith(context, names.error());
    QList<TableState> states;
    Exit exit = Exit::Done;
    for (const auto &name : *names) {
        auto state = stateOf(session, name, context.call);
        if (!state) {
            // One that cannot be read does not hide the others; of Trino's, some are no tables.
            Error error = std::move(state).error().during(name.text());
            if (error.kind == ErrorKind::Cancelled)
                return failWith(context, error);
            if (error.kind == ErrorKind::Unsupported) {
                context.terminal.warning(error);
            } else {
                context.terminal.error(error);
                exit = Exit::Partly;
            }
            state = TableState{
                .name = name, .info = {}, .totals = {}, .lastChange = {}, .error = error};
        }
        states.append(*std::move(state));
    }
    if (context.terminal.isJson()) {
        QJsonArray list;
        for (const auto &state : states)
            list.append(stateJson(state));
        context.terminal.json({{QStringLiteral("tables"), list}});
    } else if (states.isEmpty()) {
        context.terminal.note(u"there are no tables");
    } else {
        printList(context.terminal, states);
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
    QJsonObject object = stateJson(state);
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
    const auto state = stateOf(session, *name, context.call);
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
