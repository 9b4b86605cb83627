// ivmctl sql: one statement on the engine, its rows as a table or as JSON.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/value_text.h"

#include "framework/sql/parser.h"
#include "framework/view/time_bucket.h"
#include "framework/host/documents.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QStringDecoder>

namespace ivm::ctl {

namespace {

constexpr qint64 kMostBytes = 4 * 1024 * 1024;

Result<QString> decoded(const QByteArray &bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decoder(bytes);
    if (decoder.hasError() || text.contains(QChar::ReplacementCharacter))
        return fail(
            invalidError(QStringLiteral("the statement is not UTF-8 text")).withCode(u"not_utf8"));
    return text;
}

Result<QString> statementOf(const QString &word)
{
    if (word != u"-")
        return decoded(word.toUtf8());
    QFile input;
    if (!input.open(stdin, QIODevice::ReadOnly))
        return fail(unavailableError(
            QStringLiteral("the standard input cannot be read: %1").arg(input.errorString())));
    // A pipe gives what is in it by now, which may be the harmless half of a DELETE.
    QByteArray bytes;
    while (bytes.size() <= kMostBytes) {
        const QByteArray more = input.read(kMostBytes + 1 - bytes.size());
        if (more.isEmpty())
            break;
        bytes += more;
    }
    if (input.error() != QFileDevice::NoError)
        return fail(unavailableError(
            QStringLiteral("the standard input cannot be read: %1").arg(input.errorString())));
    if (bytes.size() > kMostBytes)
        return fail(
            invalidError(QStringLiteral("the statement is longer than %1 bytes").arg(kMostBytes)));
    return decoded(bytes);
}

// Prints rows as they come: as a table, or as the one document {"columns", "rows",
// "rows_affected"}.
class Output {
public:
    explicit Output(Terminal &terminal) : m_terminal(terminal) {}

    RowSink sink()
    {
        return {.columns = [this](const QList<Column> &columns) -> Status {
                    begin(columns);
                    return {};
                },
                .row = [this](Row &&row) -> Status {
                    take(row);
                    return {};
                }};
    }

    void finish(const StatementResult &result)
    {
        if (m_terminal.isJson()) {
            begin({});
            const QJsonValue count =
                result.rowsAffected < 0 ? QJsonValue() : QJsonValue(result.rowsAffected);
            return close({{QStringLiteral("rows_affected"), count}});
        }
        beginTable();
        if (m_table)
            m_table->finish();
        if (!result.updateType.isEmpty())
            m_terminal.line(
                visible(result.rowsAffected < 0
                            ? result.updateType
                            : QStringLiteral("%1: %2 %3")
                                  .arg(result.updateType, QString::number(result.rowsAffected),
                                       result.rowsAffected == 1 ? u"row" : u"rows")));
    }

    // Rows may be out already: a document that was begun is ended with the error in it.
    void finish(const Error &error)
    {
        if (m_table)
            m_table->finish();
        m_terminal.error(error);
        if (!m_terminal.isJson())
            return;
        const QJsonObject members{{QStringLiteral("error"), errorJson(m_terminal.shown(error))}};
        if (m_begun)
            close(members);
        else
            m_terminal.json(members);
    }

private:
    void begin(const QList<Column> &columns)
    {
        if (m_begun)
            return;
        m_begun = true;
        m_columns = columns;
        if (m_terminal.isJson())
            beginDocument();
    }

    void beginDocument()
    {
        QJsonArray list;
        for (const auto &column : m_columns)
            list.append(QJsonObject{{QStringLiteral("name"), column.name},
                                    {QStringLiteral("type"), column.type.text()}});
        // The document up to its closing brace; the rows follow one by one.
        QByteArray start = jsonLine({{QStringLiteral("columns"), list}});
        start.chop(2);
        m_terminal.raw(start + ",\"rows\":[");
    }

    // With the first row: what fails before has nothing to show.
    void beginTable()
    {
        if (m_table || m_columns.isEmpty())
            return;
        QList<TableColumn> headings;
        for (const auto &column : m_columns)
            headings.append({column.name, isNumeric(column.type) ? Align::Right : Align::Left});
        m_table.emplace(m_terminal, headings);
    }

    void take(const Row &row)
    {
        if (m_terminal.isJson())
            return takeJson(row);
        beginTable();
        QStringList cells;
        for (const auto &value : row)
            cells.append(cellText(value));
        m_table->row(cells);
    }

    void takeJson(const Row &row)
    {
        QJsonArray cells;
        for (size_t i = 0; i < row.size(); ++i)
            cells.append(valueJson(row[i], m_columns.value(qsizetype(i)).type));
        // As the one member of an object, which is what jsonLine() writes: {"r":[…]} without its
        // frame.
        QByteArray line = jsonLine({{QStringLiteral("r"), cells}});
        line = line.mid(5, line.size() - 7);
        m_terminal.raw(m_hasRows ? QByteArray(",\n" + line) : QByteArray('\n' + line));
        m_hasRows = true;
    }

    void close(const QJsonObject &members) { m_terminal.raw("]," + jsonLine(members).mid(1)); }

    Terminal &m_terminal;
    QList<Column> m_columns;
    std::optional<TablePrinter> m_table;
    bool m_begun = false;
    bool m_hasRows = false;
};

// With the macros of views, so that a view's query can be tried as it is. What is no query, or no
// SQL of ours, is the engine's to judge.
Result<QString> withoutMacros(const QString &sql)
{
    const auto query = sql::parseQuery(sql);
    if (!query)
        return sql;
    IVM_TRY(const auto expanded, expandTimeBuckets(sql, *query));
    return expanded.text();
}

Status runStatement(Context &context, const QString &text, Output &output)
{
    IVM_TRY(const QString sql, withoutMacros(text));
    IVM_TRY(Executor * executor, context.host().executor());
    IVM_TRY(const auto session, executor->openSession({}, context.call));
    auto sink = output.sink();
    IVM_TRY(const auto result, session->run(sql, sink, context.call));
    output.finish(result);
    return {};
}

Exit run(Context &context)
{
    if (!isConfigured(context))
        return Exit::Usage;
    const auto sql = statementOf(context.arguments.words.first());
    if (!sql)
        return failWith(context, sql.error(), Exit::Usage);
    Output output(context.terminal);
    if (const auto done = runStatement(context, *sql, output); !done) {
        output.finish(done.error());
        return Exit::Failed;
    }
    return Exit::Done;
}

}  // namespace

Command sqlCommand()
{
    return {
        {.name = QStringLiteral("sql"),
         .words = QStringLiteral("TEXT|-"),
         .summary = QStringLiteral("runs one statement on the engine"),
         .details = QStringLiteral(
             "Runs TEXT, or what stands on the standard input (-), on the engine: Trino's SQL on "
             "every\n"
             "engine. Rows come as a table, or with --json as one document with columns, rows and\n"
             "rows_affected. In a table, characters that could drive the terminal are spelled "
             "out."),
         .examples = {QStringLiteral("ivmctl sql 'SELECT count(*) FROM flights'"),
                      QStringLiteral("ivmctl sql \"CREATE TABLE flights AS SELECT * FROM "
                                     "TABLE(read_parquet('flights.parquet'))\""),
                      QStringLiteral("ivmctl sql --json - < query.sql")},
         .options = {},
         .leastWords = 1,
         .mostWords = 1},
        run};
}

}  // namespace ivm::ctl
