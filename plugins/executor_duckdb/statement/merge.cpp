// MERGE: source and target are joined once, and each pair of rows meets the first WHEN that takes
// it.
//
// Source: Trino's documentation, "MERGE". The statement is made into one query over both relations,
// so that names, types and conversions are those of every other statement:
//   "$path" and "$row" of the target's row (NULL: not matched), "$case" (NULL: nothing takes the
//   pair), and for each WHEN that writes a row the values of all columns.
#include "plugins/executor_duckdb/engine/temp_table.h"
#include "plugins/executor_duckdb/statement/target.h"

namespace ivm::duckdb {

namespace {

constexpr QStringView kMerged = u"$merged";
constexpr QStringView kCaseColumn = u"$case";

sql::ExprPtr named(const sql::Identifier &name)
{
    return sql::makeExpr(sql::ColumnReference{name});
}

sql::ExprPtr number(qint64 value) { return sql::makeExpr(sql::IntegerLiteral{value}); }

// Also what a message calls the value.
QString valueColumn(size_t mergeCase, const Column &column)
{
    return QStringLiteral("%1 (WHEN %2)").arg(column.name, QString::number(mergeCase + 1));
}

// Shows the target's mention with the place of each row; everything else is the reader's.
class MergeRelations final : public RelationSource {
public:
    MergeRelations(const Target &target, qsizetype mention, TableReader &reader)
        : m_target(target), m_mention(mention), m_reader(reader)
    {
    }

    Result<BoundRelation> table(const sql::QualifiedName &name,
                                const TableVersion &version) override
    {
        if (name.span.begin != m_mention)
            return m_reader.table(name, version);
        const auto &table = *m_target.table;
        IVM_TRY(const QString sql, relationSql({table.metadata, m_target.live}, WithRow::Yes));
        return BoundRelation{
            .name = table.name,
            .columns = iceberg::columnsOf(table.metadata.currentSchema()),
            .sql = sql,
            .hidden = {{.name = kPathColumn.toString(), .type = {.kind = TypeKind::Varchar}},
                       {.name = kRowColumn.toString(), .type = {.kind = TypeKind::Bigint}}}};
    }

    Result<BoundRelation> tableFunction(const QString &name,
                                        const QList<FunctionArgument> &arguments) override
    {
        return m_reader.tableFunction(name, arguments);
    }

private:
    const Target &m_target;
    qsizetype m_mention;
    TableReader &m_reader;
};

class Merger {
public:
    Merger(const sql::Merge &merge, const StatementContext &context)
        : m_merge(merge), m_context(context),
          m_reader(context.warehouse, context.connection, context.call)
    {
    }

    Result<StatementResult> run()
    {
        IVM_TRY(const auto *table, loadTarget(m_merge.table, m_reader, m_context));
        m_columns = iceberg::columnsOf(table->metadata.currentSchema());
        IVM_TRY(auto live,
                m_reader.files(*table, table->metadata.currentSnapshotId,
                               m_reader.filterOf({{qualifier(), false}, m_merge.on}, *table)));
        const Target target{table, std::move(live)};
        IVM_TRY(const QString select, pairsSql(target));
        IVM_TRY(const TempTable pairs,
                TempTable::make(m_context.connection, kMerged, select, m_context.call));
        IVM_CHECK(checkSingle(pairs));
        IVM_TRY(const qint64 rows,
                count(QStringLiteral("SELECT count(\"$case\") FROM ") + pairs.sql()));
        if (rows > 0) {
            IVM_TRY(const QString additions, additionsSql(pairs));
            IVM_CHECK(changeRows(target, goneSql(pairs), additions, m_context));
        }
        return resultOf("MERGE", rows, m_reader);
    }

private:
    QString qualifier() const
    {
        return m_merge.alias ? m_merge.alias->value : m_merge.table.last().value;
    }

    // A column of the target.
    sql::ExprPtr targetColumn(const QString &column) const
    {
        sql::ExprPtr base;
        if (m_merge.alias) {
            base = named(*m_merge.alias);
        } else {
            for (const auto &part : m_merge.table.parts)
                base = base ? sql::makeExpr(sql::Dereference{base, part}) : named(part);
        }
        return sql::makeExpr(sql::Dereference{base, {.value = column, .quoted = true, .span = {}}});
    }

    static bool isInsert(const sql::MergeCase &mergeCase)
    {
        return std::holds_alternative<sql::MergeInsert>(mergeCase.action);
    }

    // Which WHEN takes a pair of rows.
    sql::ExprPtr caseNumber() const
    {
        sql::Case chosen;
        for (size_t i = 0; i < m_merge.cases.size(); ++i) {
            const auto &mergeCase = m_merge.cases[i];
            sql::ExprPtr condition = sql::makeExpr(sql::IsNull{
                .value = targetColumn(kPathColumn.toString()), .negated = !isInsert(mergeCase)});
            if (mergeCase.condition)
                condition = sql::makeExpr(
                    sql::Logical{sql::LogicalOp::And, {condition, mergeCase.condition}},
                    mergeCase.condition->span);
            chosen.whenClauses.push_back({condition, number(qint64(i))});
        }
        return sql::makeExpr(chosen);
    }

    // The values that a WHEN writes, by column; those that it leaves alone are absent.
    Result<QMap<QString, sql::ExprPtr>> valuesOf(const sql::MergeCase &mergeCase,
                                                 const iceberg::Table &table) const
    {
        QMap<QString, sql::ExprPtr> values;
        if (const auto *update = std::get_if<sql::MergeUpdate>(&mergeCase.action)) {
            IVM_TRY(const auto assignments,
                    assignmentsOf(update->assignments, table, m_context.text));
            for (const auto &[column, assignment] : assignments.asKeyValueRange())
                values.insert(column, assignment->value);
            for (const auto &column : m_columns) {
                if (!values.contains(column.name))
                    values.insert(column.name, targetColumn(column.name));
            }
        } else if (const auto *insert = std::get_if<sql::MergeInsert>(&mergeCase.action)) {
            IVM_TRY(const auto named, namedColumns(insert->columns, table, m_context.text));
            if (qsizetype(insert->values.size()) != named.size())
                return fail(placed(invalidError(QStringLiteral("INSERT gives %1 values for %2 "
                                                               "columns")
                                                    .arg(insert->values.size())
                                                    .arg(named.size())),
                                   mergeCase.span, m_context.text));
            for (qsizetype i = 0; i < named.size(); ++i)
                values.insert(named[i].name, insert->values[size_t(i)]);
        }
        return values;
    }

    sql::RelationPtr joined() const
    {
        sql::Relation target{.node = sql::Table{m_merge.table, {}},
                             .alias = {},
                             .sample = {},
                             .span = m_merge.table.span};
        if (m_merge.alias)
            target.alias = sql::Alias{*m_merge.alias, {}, m_merge.alias->span};
        sql::Join join{.kind = sql::Join::Kind::Left,
                       .left = m_merge.source,
                       .right = std::make_shared<sql::Relation>(target),
                       .criteria = sql::Join::On{m_merge.on}};
        return std::make_shared<sql::Relation>(
            sql::Relation{.node = join, .alias = {}, .sample = {}, .span = m_merge.source->span});
    }

    // The query of the whole statement, in DuckDB's SQL.
    Result<QString> pairsSql(const Target &target)
    {
        sql::Select select;
        select.from.push_back(joined());
        QList<Column> outputs;
        const auto add = [&](const sql::ExprPtr &expression, const QString &name,
                             const Type &type) {
            sql::SelectItem item;
            item.expression = expression;
            select.items.push_back(item);
            outputs.append({.name = name, .type = type});
        };
        const Type bigint{.kind = TypeKind::Bigint};
        add(targetColumn(kPathColumn.toString()), kPathColumn.toString(),
            {.kind = TypeKind::Varchar});
        add(targetColumn(kRowColumn.toString()), kRowColumn.toString(), bigint);
        add(caseNumber(), kCaseColumn.toString(), bigint);
        for (size_t i = 0; i < m_merge.cases.size(); ++i) {
            IVM_TRY(const auto values, valuesOf(m_merge.cases[i], *target.table));
            for (qsizetype column = 0; column < m_columns.size(); ++column) {
                const auto value = values.value(m_columns[column].name);
                if (!value)
                    continue;
                // Only where the WHEN takes the pair may its values fail.
                const sql::Case guarded{.operand = caseNumber(),
                                        .whenClauses = {{number(qint64(i)), value}},
                                        .elseExpression = {}};
                add(sql::makeExpr(guarded, value->span), valueColumn(i, m_columns[column]),
                    m_columns[column].type);
                m_written.insert({i, column});
            }
        }
        sql::Query query;
        query.span = m_merge.source->span;
        query.body =
            std::make_shared<sql::QueryBody>(sql::QueryBody{.node = select, .span = query.span});
        m_reader.restrict(query);
        MergeRelations relations(target, m_merge.table.span.begin, m_reader);
        IVM_TRY(const auto translated, translateInsert(query, outputs, m_context.input(relations)));
        return translated.sql;
    }

    Result<qint64> count(const QString &select)
    {
        return countOf(m_context.connection, select, m_context.call);
    }

    // Trino counts pairs by row and WHEN. Two different WHENs would write a row twice, which it
    // lets through and nobody can want.
    Status checkSingle(const TempTable &pairs)
    {
        IVM_TRY(const qint64 doubled,
                count(QStringLiteral("SELECT count(*) FROM (SELECT 1 FROM %1 WHERE \"$path\" IS "
                                     "NOT NULL GROUP BY \"$path\", \"$row\" HAVING count(*) - "
                                     "count(\"$case\") > 1 OR count(\"$case\") > 1)")
                          .arg(pairs.sql())));
        if (doubled == 0)
            return {};
        return fail(
            placed(invalidError(QStringLiteral(
                                    "One MERGE target table row matched more than one source row"))
                       .withCode(u"merge_multiple_matches")
                       .withHint(u"Make the source give one row for each row of the target"),
                   m_merge.source->span, m_context.text));
    }

    static QString goneSql(const TempTable &pairs)
    {
        return QStringLiteral("(SELECT \"$path\", \"$row\" FROM %1 WHERE \"$path\" IS NOT NULL "
                              "AND \"$case\" IS NOT NULL)")
            .arg(pairs.sql());
    }

    // The rows that updates and inserts write.
    Result<QString> additionsSql(const TempTable &pairs) const
    {
        QStringList selects;
        for (size_t i = 0; i < m_merge.cases.size(); ++i) {
            if (std::holds_alternative<sql::MergeDelete>(m_merge.cases[i].action))
                continue;
            QStringList columns;
            for (qsizetype column = 0; column < m_columns.size(); ++column) {
                const QString value = m_written.contains({i, column})
                                          ? quotedIdentifier(valueColumn(i, m_columns[column]))
                                          : QStringLiteral("NULL");
                IVM_TRY(const QString type, duckdbType(m_columns[column].type));
                columns.append(QStringLiteral("CAST(%1 AS %2) AS %3")
                                   .arg(value, type, quotedIdentifier(m_columns[column].name)));
            }
            selects.append(
                QStringLiteral("SELECT %1 FROM %2 WHERE \"$case\" = %3")
                    .arg(columns.join(QStringLiteral(", ")), pairs.sql(), QString::number(i)));
        }
        return unionOf(selects);
    }

    const sql::Merge &m_merge;
    const StatementContext &m_context;
    TableReader m_reader;
    QList<Column> m_columns;                       // the target's
    QSet<std::pair<size_t, qsizetype>> m_written;  // values that the query gives
};

}  // namespace

Result<StatementResult> runMerge(const sql::Merge &statement, const StatementContext &context)
{
    return retried(context.call, [&] { return Merger(statement, context).run(); });
}

}  // namespace ivm::duckdb
