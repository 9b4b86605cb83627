#include "plugins/detector_trino/heads.h"

#include "framework/sqlexec/head.h"
#include "plugins/detector_trino/cells.h"

namespace ivm::trino {

namespace {

// The first line of the statement that is about a table; each table has one line.
constexpr int kFirstTableLine = 2;

QString tableSql(const TableName &table, qsizetype number)
{
    return QStringLiteral(
               "SELECT %1 AS i, file, timestamp, CAST(NULL AS bigint) AS snapshot FROM %2 "
               "UNION ALL SELECT %1, NULL, NULL, snapshot_id FROM %3 WHERE name = 'main'")
        .arg(QString::number(number), table.quotedMetadataTable(u"metadata_log_entries"),
             table.quotedMetadataTable(u"refs"));
}

QString headsSql(const QList<TableName> &tables, const QList<qsizetype> &asked)
{
    QStringList lines;
    for (const qsizetype number : asked)
        lines.append(tableSql(tables[number], number));
    return QStringLiteral("SELECT i, ") + newestMetadataFileSql() +
           QStringLiteral(" FILTER (WHERE file IS NOT NULL), max(snapshot) FROM (\n") +
           lines.join(QStringLiteral(" UNION ALL\n")) + QStringLiteral("\n) GROUP BY i");
}

// Trino's own trouble with a table, or ours to read it, or with how many they are; and not the
// cluster's or the network's with everything.
bool isAboutTables(const Error &error)
{
    return error.place.line > 0 || error.kind == ErrorKind::NotFound ||
           error.kind == ErrorKind::Corrupt || error.kind == ErrorKind::Unsupported ||
           error.code == u"permission_denied" || error.code == u"generic_internal_error" ||
           error.code == u"query_has_too_many_stages" || error.code.startsWith(u"iceberg_");
}

Error tableError(Error error, const TableName &table)
{
    error.place = {};
    if (error.kind == ErrorKind::NotFound) {
        error.message =
            QStringLiteral("table %1 does not exist, or is not an Iceberg table").arg(table.text());
        return error;
    }
    if (error.code == u"generic_internal_error")
        error.hint = QStringLiteral("Iceberg tables are kept, not views: is it one, or is its "
                                    "metadata damaged? ") +
                     error.hint;
    return std::move(error).during(QString(QStringLiteral("table ") + table.text()));
}

class HeadReader {
public:
    HeadReader(Session &session, const QList<TableName> &tables, const Call &call)
        : m_session(session), m_tables(tables), m_call(call)
    {
        for (const auto &table : tables)
            m_heads.append(fail(
                tableError(corruptError(QStringLiteral("Trino names no metadata file")), table)));
    }

    Result<QList<Result<TableHead>>> read()
    {
        QList<qsizetype> batch;
        for (qsizetype i = 0; i < m_tables.size(); ++i) {
            batch.append(i);
            if (batch.size() == kHeadsPerStatement || i + 1 == m_tables.size())
                IVM_CHECK(ask(std::exchange(batch, {})));
        }
        return m_heads;
    }

private:
    // Asks until every table of the batch has an answer or an error of its own.
    Status ask(QList<qsizetype> batch)
    {
        while (!batch.isEmpty()) {
            const auto rows = query(m_session, headsSql(m_tables, batch), m_call);
            if (rows) {
                take(*rows);
                return {};
            }
            const Error &error = rows.error();
            if (!isAboutTables(error))
                return fail(error);
            const int line = error.place.line - kFirstTableLine;
            if (line >= 0 && line < batch.size()) {
                setError(batch.takeAt(line), error);
                continue;
            }
            if (batch.size() == 1) {
                setError(batch[0], error);
                return {};
            }
            const qsizetype half = batch.size() / 2;
            IVM_CHECK(ask(batch.first(half)));
            batch = batch.sliced(half);
        }
        return {};
    }

    void setError(qsizetype number, const Error &error)
    {
        m_heads[number] = fail(tableError(error, m_tables[number]));
    }

    void take(const Rows &rows)
    {
        for (const auto &row : rows.rows) {
            const auto number = wholeIn(row, 0);
            const QString file = textIn(row, 1);
            if (number && *number >= 0 && *number < m_heads.size() && !file.isEmpty())
                m_heads[*number] = TableHead{tableIdOf(file), file, wholeIn(row, 2)};
        }
    }

    Session &m_session;
    const QList<TableName> &m_tables;
    const Call &m_call;
    QList<Result<TableHead>> m_heads;
};

}  // namespace

Result<QList<Result<TableHead>>> readHeads(Session &session, const QList<TableName> &tables,
                                           const Call &call)
{
    return HeadReader(session, tables, call).read();
}

}  // namespace ivm::trino
