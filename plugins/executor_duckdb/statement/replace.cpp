#include "plugins/executor_duckdb/statement/replace.h"

#include "framework/api/store.h"
#include "framework/sql/parser.h"
#include "plugins/executor_duckdb/engine/temp_table.h"
#include "plugins/executor_duckdb/statement/compare.h"

namespace ivm::duckdb {

namespace {

constexpr QStringView kFresh = u"$fresh";
constexpr QStringView kPairs = u"$pairs";
constexpr QStringView kGone = u"$gone";

// The filter as a condition in Trino's SQL; its literals are the framework's.
QString conditionText(const BucketFilter &filter)
{
    const QString column = quotedIdentifier(filter.column);
    QStringList parts;
    for (const auto &range : filter.ranges) {
        QStringList ends;
        if (range.from)
            ends.append(column + QStringLiteral(" >= ") + *range.from);
        if (range.to)
            ends.append(column + QStringLiteral(" < ") + *range.to);
        if (ends.isEmpty())
            ends.append(column + QStringLiteral(" IS NOT NULL"));
        parts.append(u'(' + ends.join(QStringLiteral(" AND ")) + u')');
    }
    if (filter.nullBucket)
        parts.append(column + QStringLiteral(" IS NULL"));
    return parts.isEmpty() ? QStringLiteral("false") : parts.join(QStringLiteral(" OR "));
}

struct Counts {
    qint64 additions = 0;
    qint64 updates = 0;  // additions that take the place of a row
    qint64 gone = 0;     // rows that are taken out, updated ones included
};

class Replacer {
public:
    Replacer(const Change &change, const Intent &intent, WarehouseFolder &warehouse,
             Connection &connection, const Call &call)
        : m_change(change), m_replacement(replacementOf(change)), m_intent(intent),
          m_warehouse(warehouse), m_connection(connection), m_call(call),
          m_reader(warehouse, connection, call)
    {
    }

    Result<CommitResult> run()
    {
        IVM_TRY(m_table, m_reader.load(m_replacement.target));
        IVM_CHECK(checkHead());
        IVM_CHECK(checkColumns());
        IVM_CHECK(readFilter());
        IVM_TRY(const TempTable fresh, makeFresh());
        IVM_CHECK(checkFresh(fresh));
        IVM_TRY(auto live, m_reader.files(*m_table, m_table->metadata.currentSnapshotId, m_filter));
        return live.data.empty() ? addAll(fresh) : replaceWhatDiffers(fresh, live);
    }

private:
    Status checkHead() const
    {
        const TableHead head = m_table->head();
        if (head.tableId == m_intent.targetHead.tableId && head.token == m_intent.targetHead.token)
            return {};
        return fail(conflictError(
            QStringLiteral(
                "table %1 is not as it was when its change was planned: it is at %2, not at %3")
                .arg(m_table->name.text(), head.token, m_intent.targetHead.token)));
    }

    Status checkColumns() const
    {
        const auto columns = iceberg::columnsOf(m_table->metadata.currentSchema());
        bool same = columns.size() == m_replacement.columns.size();
        for (qsizetype i = 0; same && i < columns.size(); ++i)
            same = sql::sameName(columns[i].name, m_replacement.columns[i].name);
        if (same)
            return {};
        return fail(invalidError(
            QStringLiteral("table %1 has other columns than the rows that are to be put into it")
                .arg(m_table->name.text())));
    }

    // Which rows of the target are looked at: all of them, or those of the filter's buckets.
    Status readFilter()
    {
        const auto *ranges = std::get_if<ReplaceRanges>(&m_change);
        if (!ranges)
            return {};
        const QString text = conditionText(ranges->filter);
        IVM_TRY(const sql::ExprPtr condition, sql::parseExpression(text));
        m_filter = m_reader.filterOf(condition, *m_table);
        const RowScope scope{.name = m_table->name,
                             .columns = iceberg::columnsOf(m_table->metadata.currentSchema()),
                             .alias = QStringLiteral("t")};
        IVM_TRY(const auto translated, translateCondition(condition, scope, {text, m_reader}));
        m_condition = translated.sql;
        return {};
    }

    Result<TempTable> makeFresh()
    {
        IVM_TRY(const sql::Query query, sql::parseQuery(m_replacement.query));
        m_reader.restrict(query);
        const auto columns = iceberg::columnsOf(m_table->metadata.currentSchema());
        IVM_TRY(const auto translated,
                translateInsert(query, columns, {m_replacement.query, m_reader}));
        QStringList names;
        for (const auto &column : columns)
            names.append(quotedIdentifier(column.name));
        return TempTable::make(m_connection, kFresh,
                               QStringLiteral("SELECT *, 1 AS \"$one\" FROM (%1) AS q(%2)")
                                   .arg(translated.sql, names.join(QStringLiteral(", "))),
                               m_call);
    }

    // Rows that would make the target wrong: two of one key, or one outside of what is replaced.
    Status checkFresh(const TempTable &fresh)
    {
        const QString keys = keyList(m_replacement.columns);
        const QString outsiders =
            m_condition.isEmpty() ? QStringLiteral("0")
                                  : QStringLiteral("(SELECT count(*) FROM %1 AS t WHERE (%2) IS "
                                                   "NOT TRUE)")
                                        .arg(fresh.sql(), m_condition);
        const QString sql =
            QStringLiteral(
                "SELECT count(*), %3 FROM (SELECT 1 FROM %1 GROUP BY %2 HAVING count(*) > 1)")
                .arg(fresh.sql(), keys, outsiders);
        IVM_TRY(const auto rows, m_connection.rows(sql, {}, m_call));
        const qint64 doubles = numberIn(rows, 0);
        if (doubles > 0) {
            return fail(
                invalidError(QStringLiteral(
                                 "the query for %1 gives more than one row for %2 of its keys (%3)")
                                 .arg(m_table->name.text(), QString::number(doubles), keys))
                    .withCode(u"duplicate_key"));
        }
        const qint64 outside = numberIn(rows, 1);
        if (outside > 0)
            return fail(
                internalError(QStringLiteral("the query for %1 gives %2 rows outside of its ranges")
                                  .arg(m_table->name.text(), QString::number(outside))));
        return {};
    }

    // Wanted and stored rows side by side, by key: id, place, and whether they are the same.
    Result<TempTable> makePairs(const TempTable &fresh, const iceberg::LiveFiles &live)
    {
        IVM_TRY(const QString rows, relationSql({m_table->metadata, live}, WithRow::Yes));
        const QString where =
            m_condition.isEmpty() ? QString() : QStringLiteral(" WHERE ") + m_condition;
        const QString stored =
            QStringLiteral("(SELECT t.*, 1 AS \"$one\" FROM %1 AS t%2)").arg(rows, where);
        IVM_TRY(
            TempTable pairs,
            TempTable::make(
                m_connection, kPairs,
                QStringLiteral(
                    "SELECT f.rowid AS \"$id\", c.\"$path\", c.\"$row\", f.rowid IS NOT NULL AND "
                    "c.\"$path\" IS NOT NULL AND %1 AS \"$same\" FROM %2 AS f FULL JOIN %3 AS c "
                    "ON %4")
                    .arg(sameValues(m_replacement.columns), fresh.sql(), stored,
                         sameKeys(m_replacement.columns)),
                m_call));
        IVM_TRY(const qint64 doubles,
                countOf(m_connection,
                        QStringLiteral("SELECT count(\"$id\") - count(DISTINCT \"$id\") FROM %1")
                            .arg(pairs.sql()),
                        m_call));
        if (doubles > 0)
            IVM_CHECK(keepOneOfEach(pairs));
        return pairs;
    }

    // Where the target has a key more than once, at most one of its rows may stay.
    Status keepOneOfEach(const TempTable &pairs)
    {
        return m_connection.execute(
            QStringLiteral("UPDATE %1 AS p SET \"$same\" = false WHERE \"$same\" AND EXISTS "
                           "(SELECT 1 FROM %1 AS o WHERE "
                           "o.\"$id\" = p.\"$id\" AND o.\"$same\" AND (o.\"$path\", o.\"$row\") < "
                           "(p.\"$path\", p.\"$row\"))")
                .arg(pairs.sql()),
            m_call);
    }

    static QString goneSql(const TempTable &pairs)
    {
        return QStringLiteral("SELECT \"$path\", \"$row\" FROM %1 WHERE \"$path\" IS NOT NULL AND "
                              "NOT \"$same\"")
            .arg(pairs.sql());
    }

    // Ids of the rows that nothing stored is the same as.
    static QString missingSql(const TempTable &pairs, QStringView columns)
    {
        return QStringLiteral("SELECT %1 FROM %2 WHERE \"$id\" IS NOT NULL GROUP BY \"$id\" HAVING "
                              "NOT bool_or(\"$same\")")
            .arg(columns, pairs.sql());
    }

    Result<Counts> count(const TempTable &pairs)
    {
        const QString missing = missingSql(pairs, u"bool_or(\"$path\" IS NOT NULL) AS stored");
        const QString sql = QStringLiteral("SELECT (SELECT count(*) FROM (%1)), count(*), "
                                           "count(CASE WHEN stored THEN 1 END) FROM (%2)")
                                .arg(goneSql(pairs), missing);
        IVM_TRY(const auto rows, m_connection.rows(sql, {}, m_call));
        return Counts{.additions = numberIn(rows, 1),
                      .updates = numberIn(rows, 2),
                      .gone = numberIn(rows, 0)};
    }

    static qint64 numberIn(const std::vector<Row> &rows, size_t column)
    {
        const auto *value =
            rows.empty() ? nullptr : std::get_if<qint64>(&rows.front()[column].data);
        return value ? *value : 0;
    }

    // Nothing is stored where the new rows belong: there is nothing to compare.
    Result<CommitResult> addAll(const TempTable &fresh)
    {
        const QString select =
            QStringLiteral("SELECT %1 FROM %2 AS f").arg(columnList(*m_table, u"f."), fresh.sql());
        IVM_TRY(NewFiles files, writeFiles(*m_table, select, m_connection, m_call));
        return commit(files, {}, {.additions = files.rows()});
    }

    Result<CommitResult> replaceWhatDiffers(const TempTable &fresh, const iceberg::LiveFiles &live)
    {
        IVM_TRY(const TempTable pairs, makePairs(fresh, live));
        IVM_TRY(const Counts counts, count(pairs));
        if (counts.additions == 0 && counts.gone == 0)
            return result(*m_table, counts);
        IVM_TRY(const TempTable gone, TempTable::make(m_connection, kGone, goneSql(pairs), m_call));
        IVM_TRY(auto rewrite, planRewrite(*m_table, live, gone.sql(), m_connection, m_call));
        const QString additions =
            QStringLiteral("SELECT %1 FROM %2 AS f WHERE f.rowid IN (%3)")
                .arg(columnList(*m_table, u"f."), fresh.sql(), missingSql(pairs, u"\"$id\""));
        IVM_TRY(NewFiles files, writeFiles(*m_table, unionOf({rewrite.survivors, additions}),
                                           m_connection, m_call));
        files.take(std::move(rewrite.deletes));
        return commit(files, rewrite.removed, counts);
    }

    Result<CommitResult> commit(NewFiles &files, const QStringList &removed, const Counts &counts)
    {
        IVM_CHECK(m_call.check(u"the refresh"));
        auto summary = m_intent.summary;
        summary.insert(kIntentSummaryKey.toString(), m_intent.id);
        IVM_TRY(const auto warehouse, m_warehouse.writing());
        IVM_TRY(const auto committed,
                commitFiles(warehouse, *m_table,
                            {.removed = removed, .summary = std::move(summary)}, files));
        return result(committed, counts);
    }

    CommitResult result(const iceberg::Table &table, const Counts &counts) const
    {
        const auto read = m_reader.counts();
        const auto *head = table.metadata.currentSnapshot();
        return {.target = table.head(),
                .committed = table.metadataLocation != m_table->metadataLocation,
                .rowsRead = read.rows,
                .bytesRead = read.bytes,
                .filesRead = read.files,
                .rowsWritten = counts.additions,
                .rowsDeleted = counts.gone - counts.updates,
                .summary = head ? head->summary : QMap<QString, QString>()};
    }

    const Change &m_change;
    const Replacement &m_replacement;
    const Intent &m_intent;
    WarehouseFolder &m_warehouse;
    Connection &m_connection;
    const Call &m_call;
    TableReader m_reader;
    const iceberg::Table *m_table = nullptr;
    FileFilter m_filter;
    QString m_condition;  // over one row, alias t; empty: every row
};

}  // namespace

Result<CommitResult> replaceRows(const Change &change, const Intent &intent,
                                 WarehouseFolder &warehouse, Connection &connection,
                                 const Call &call)
{
    return Replacer(change, intent, warehouse, connection, call).run();
}

}  // namespace ivm::duckdb
