#include "framework/view/shape.h"

#include "framework/sql/parser.h"
#include "framework/view/bucket_reader.h"
#include "framework/view/column_class.h"
#include "framework/view/columns.h"
#include "framework/view/query_keys.h"
#include "framework/view/refusal.h"
#include "framework/view/time_bucket.h"

#include <algorithm>

namespace ivm {

namespace {

// How the start of one unit is written.
ShapeBucket::Form formOf(const sql::ExprPtr &expr)
{
    using enum ShapeBucket::Form;
    if (const auto *call = sql::as<sql::FunctionCall>(expr)) {
        const QString &name = call->name.last().value;
        return sql::sameName(name, u"date_trunc") ? DateTrunc
               : sql::sameName(name, u"date")     ? Date
                                                  : Computed;
    }
    const auto *cast = sql::as<sql::Cast>(expr);
    const auto *type = cast ? std::get_if<sql::GenericType>(&cast->type->node) : nullptr;
    return type && sql::sameName(type->name.value, u"date") ? Date : Computed;
}

// Whether `a` says more exactly than `b` which rows a change touches. Times come before numbers,
// whose files tend to hold all of them.
bool isFiner(const BucketFunction &a, const BucketFunction &b)
{
    if (a.columnDomain != b.columnDomain)
        return a.columnDomain == BucketFunction::Domain::Time;
    return a.spread() < b.spread();
}

class Shaper {
public:
    Shaper(const ViewSpec &spec, const TableName &defaults) : m_spec(spec), m_defaults(defaults) {}

    Result<ViewShape> run()
    {
        IVM_CHECK(parse());
        readMacros();
        IVM_CHECK(readSource());
        IVM_CHECK(readColumns());
        IVM_CHECK(readKeys());
        IVM_CHECK(checkKeysCover());
        findBucket();
        IVM_CHECK(checkOptions());
        chooseStrategy();
        return std::move(m_shape);
    }

private:
    // Turns an error about the query's text into one about the view's file.
    std::unexpected<Error> refuse(Error error) const
    {
        const Place inFile = m_spec.placeInFile(error.place.line, error.place.column);
        error.place = inFile;
        return fail(std::move(error).during(QStringLiteral("view '%1'").arg(m_spec.name)));
    }
    std::unexpected<Error> refuse(Error error, qsizetype offset) const
    {
        error.place = sql::placeOf(m_spec.query, m_expanded.original({offset, offset + 1}).begin);
        return refuse(std::move(error));
    }
    std::unexpected<Error> refuseInvalid(qsizetype offset, QStringView code, QString message,
                                         QStringView hint) const
    {
        return refuse(invalidError(std::move(message)).withCode(code).withHint(hint), offset);
    }

    Status parse()
    {
        auto query = sql::parseQuery(m_spec.query);
        if (!query)
            return refuse(std::move(query).error());
        auto expanded = expandTimeBuckets(m_spec.query, *query);
        if (!expanded)
            return refuse(std::move(expanded).error());
        m_expanded = *std::move(expanded);
        if (m_expanded.isChanged()) {
            query = sql::parseQuery(m_expanded.text());
            if (!query)
                return refuse(std::move(query).error());
        }
        if (auto refusal = findRefusedForm(*query))
            return refuse(std::move(refusal->error), refusal->offset);
        m_query = *std::move(query);
        m_select = m_query.select();
        // What stands behind the query, a semicolon or a comment, is not put into statements.
        m_shape.query = m_expanded.text().left(m_query.span.end);
        return {};
    }

    void readMacros()
    {
        const QStringView from = m_expanded.original(m_select->fromSpan).of(m_spec.query);
        for (const auto &macro : m_expanded.macros()) {
            const QString time = macro.time.of(m_spec.query).toString();
            const Place inQuery = sql::placeOf(m_spec.query, macro.time.begin);
            m_shape.macros.append({macro.unit, time,
                                   m_spec.placeInFile(inQuery.line, inQuery.column),
                                   QStringLiteral("SELECT %1 AS t %2").arg(time, from)});
        }
    }

    // The query's text as its author wrote it.
    QStringView written(sql::Span span) const
    {
        return m_expanded.original(span).of(m_spec.query).left(80);
    }

    Status readSource()
    {
        const auto &relation = *m_select->from.front();
        const auto &table = std::get<sql::Table>(relation.node);
        auto name = parseTableName(
            m_shape.query.sliced(table.name.span.begin, table.name.span.size()), m_defaults);
        if (!name)
            return refuse(std::move(name).error(), table.name.span.begin);
        if (*name == m_spec.target)
            return refuseInvalid(table.name.span.begin, u"reads_itself",
                                 QStringLiteral("the query reads %1, which is the view's own table")
                                     .arg(name->text()),
                                 u"Give the view another name or target_table");
        if (relation.alias && !relation.alias->columns.empty())
            return refuse(
                unsupportedError(
                    QStringLiteral("column names in a table's alias are not supported in a view "
                                   "yet"))
                    .withCode(u"alias_columns"),
                relation.alias->span.begin);
        m_names = relationNames(relation);
        m_shape.sources.append({.table = *name,
                                .role = SourceRole::Driving,
                                .columns = usedColumns(m_query, m_names),
                                .span = table.name.span});
        m_shape.whereOffset = m_select->fromSpan.end;
        if (m_select->where)
            m_shape.where = m_select->where->span;
        return {};
    }

    Status readColumns()
    {
        for (const auto &item : m_select->items) {
            IVM_TRY(const QString name, outputName(item));
            const auto same = [&](const ShapeColumn &column) { return column.name == name; };
            if (std::ranges::any_of(m_shape.columns, same))
                return refuseInvalid(item.span.begin, u"duplicate_column",
                                     QStringLiteral("two columns are named '%1'").arg(name),
                                     u"Give one of them another alias");
            m_shape.columns.append({name, classOf(item.expression), item.expression->span,
                                    isSortedArray(item.expression)});
        }
        return {};
    }

    Result<QString> outputName(const sql::SelectItem &item) const
    {
        if (item.alias)
            return item.alias->value.toLower();
        if (const auto column = m_names.column(item.expression))
            return *column;
        return refuseInvalid(item.span.begin, u"missing_alias",
                             QStringLiteral("%1 has no name").arg(written(item.expression->span)),
                             u"Add an alias: … AS name");
    }

    // Which columns identify a row: as the query has it, else as the view declares it.
    Status readKeys()
    {
        const auto read = readQueryKeys(*m_select, m_names, m_shape);
        if (!read)
            return refuse(read.error().error, read.error().offset);
        m_grouped = read->grouped;
        if (read->source) {
            m_shape.keySource = *read->source;
            return takeKeys(read->keys);
        }
        if (!m_spec.keys.isEmpty())
            return takeDeclaredKeys();
        return refuseWithoutKeys(read->unselected);
    }

    Status refuseWithoutKeys(const sql::ExprPtr &unselected) const
    {
        if (const auto alias = aliasOf(unselected))
            return refuseInvalid(
                unselected->span.begin, u"key_not_selected",
                QStringLiteral("GROUP BY %1 means the source's column '%1', not the selected one "
                               "of that name, so the view's rows would have no key")
                    .arg(written(unselected->span)),
                QStringLiteral("Write GROUP BY %1 for the selected one").arg(*alias + 1));
        if (unselected)
            return refuseInvalid(
                unselected->span.begin, u"key_not_selected",
                QStringLiteral("GROUP BY %1 is not among the selected columns, so the view's rows "
                               "would have no key")
                    .arg(written(unselected->span)),
                u"Select it too, or declare the columns that identify a row: keys: [a, b]");
        return refuseInvalid(
            m_select->span.begin, u"no_keys",
            QStringLiteral("nothing says which columns identify a row: there is no GROUP BY and no "
                           "DISTINCT"),
            u"Declare them: keys: [a, b]");
    }

    // Which selected column has the name of the column that is grouped by; GROUP BY knows no alias.
    std::optional<qsizetype> aliasOf(const sql::ExprPtr &grouped) const
    {
        const auto *column = grouped ? sql::as<sql::ColumnReference>(grouped) : nullptr;
        for (qsizetype i = 0; column && i < m_shape.columns.size(); ++i) {
            if (sql::sameName(m_shape.columns[i].name, column->name.value))
                return i;
        }
        return {};
    }

    Status takeKeys(const QList<qsizetype> &indexes)
    {
        for (const qsizetype index : indexes) {
            auto &column = m_shape.columns[index];
            const auto &expression = m_select->items[size_t(index)].expression;
            if (hasAggregate(expression))
                return refuseInvalid(
                    expression->span.begin, u"aggregate_key",
                    QStringLiteral("column '%1' is grouped by, but is an aggregate")
                        .arg(column.name),
                    u"GROUP BY the columns that are not aggregates");
            column.columnClass = ColumnClass::Key;
        }
        return {};
    }

    Status takeDeclaredKeys()
    {
        m_shape.keySource = KeySource::Declared;
        for (const auto &key : m_spec.keys) {
            const auto column =
                std::ranges::find(m_shape.columns, key.toLower(), &ShapeColumn::name);
            if (column == m_shape.columns.end())
                return refuseOption(
                    u"unknown_column",
                    QStringLiteral("keys names '%1', which is no column of the view").arg(key));
            const auto index = std::distance(m_shape.columns.begin(), column);
            if (hasAggregate(m_select->items[size_t(index)].expression))
                return refuseOption(
                    u"aggregate_key",
                    QStringLiteral("keys names '%1', which is an aggregate: its value changes "
                                   "with the rows that it is to identify")
                        .arg(key));
            column->columnClass = ColumnClass::Key;
        }
        return {};
    }

    void findBucket()
    {
        for (qsizetype i = 0; i < m_shape.columns.size(); ++i) {
            if (m_shape.columns[i].columnClass != ColumnClass::Key)
                continue;
            auto bucket = bucketOf(m_select->items[size_t(i)].expression, i);
            if (bucket && (!m_shape.bucket || isFiner(bucket->function, m_shape.bucket->function)))
                m_shape.bucket = std::move(bucket);
        }
    }

    std::optional<ShapeBucket> bucketOf(const sql::ExprPtr &expression, qsizetype index) const
    {
        const auto reading = readBucket(expression, m_names);
        if (!reading)
            return {};
        ShapeBucket bucket{.form = ShapeBucket::Form::Computed,
                           .unit = BucketUnit::Day,
                           .function = reading->function,
                           .column = reading->column,
                           .words = reading->words,
                           .output = index,
                           .expression = expression->span,
                           .columnSpan = reading->columnSpan};
        const auto &steps = reading->function.steps;
        const auto *only = steps.size() == 1 ? std::get_if<Truncate>(&steps.front()) : nullptr;
        if (only && only->count == 1) {
            bucket.unit = only->unit;
            bucket.form = formOf(expression);
        }
        return bucket;
    }

    Status checkKeysCover() const
    {
        if (!m_select->groupBy && m_shape.keySource != KeySource::OneRow)
            return {};
        const auto columnOf = [this](qsizetype index) {
            return m_names.column(m_select->items[size_t(index)].expression);
        };
        for (qsizetype i = 0; i < m_shape.columns.size(); ++i) {
            const auto &expression = m_select->items[size_t(i)].expression;
            const auto isSame = [&](qsizetype key) { return columnOf(key) == columnOf(i); };
            if (columnOf(i) && std::ranges::none_of(m_grouped, isSame))
                return refuseInvalid(
                    expression->span.begin, u"not_grouped",
                    QStringLiteral("column '%1' is neither grouped by nor aggregated")
                        .arg(m_shape.columns[i].name),
                    u"Add it to GROUP BY, or aggregate it");
        }
        return {};
    }

    std::unexpected<Error> refuseOption(QStringView code, QString message,
                                        QStringView hint = {}) const
    {
        Error error = invalidError(std::move(message)).withCode(code).withHint(hint);
        error.place = m_spec.queryPlace;
        return fail(std::move(error).during(QStringLiteral("view '%1'").arg(m_spec.name)));
    }

    Status checkOptions() const
    {
        const auto find = [&](const QString &name) {
            return std::ranges::find(m_shape.columns, name.toLower(), &ShapeColumn::name);
        };
        for (const auto &field : m_spec.targetPartitioning) {
            const auto column = find(field.column);
            if (column == m_shape.columns.end())
                return refuseOption(
                    u"unknown_column",
                    QStringLiteral("target_partitioning names '%1', which is no column of the view")
                        .arg(field.column));
            if (column->columnClass != ColumnClass::Key)
                return refuseOption(
                    u"partition_by_measure",
                    QStringLiteral(
                        "target_partitioning names '%1', which is not a key; two refreshes at "
                        "once could then write a row twice")
                        .arg(field.column));
        }
        for (const auto &sort : m_spec.sortedBy) {
            if (find(sort.section(u' ', 0, 0)) == m_shape.columns.end())
                return refuseOption(
                    u"unknown_column",
                    QStringLiteral("sorted_by names '%1', which is no column of the view")
                        .arg(sort));
        }
        QStringList keys = m_shape.keys();
        QStringList declared;
        for (const auto &key : m_spec.keys)
            declared.append(key.toLower());
        keys.sort();
        declared.sort();
        if (const auto twice = std::ranges::adjacent_find(declared); twice != declared.end())
            return refuseOption(u"duplicate_key",
                                QStringLiteral("keys names '%1' twice").arg(*twice),
                                u"Name each column once");
        if (!declared.isEmpty() && declared != keys)
            return refuseOption(
                u"wrong_keys",
                keys.isEmpty()
                    ? QStringLiteral("keys are declared as %1, but the query gives one row alone")
                          .arg(declared.join(QStringLiteral(", ")))
                    : QStringLiteral("keys are declared as %1, but %2 makes them %3")
                          .arg(declared.join(QStringLiteral(", ")),
                               m_shape.keySource == KeySource::Distinct
                                   ? QStringLiteral("DISTINCT")
                                   : QStringLiteral("GROUP BY"),
                               keys.join(QStringLiteral(", "))));
        if (m_spec.incremental == Incremental::Required && !m_shape.bucket)
            return refuseOption(
                u"not_incremental",
                QStringLiteral(
                    "incremental: required, but no key is a time bucket of a column, so only a "
                    "recomputation could keep it right"));
        return {};
    }

    void chooseStrategy()
    {
        if (!m_shape.bucket) {
            m_shape.why = m_shape.keySource == KeySource::OneRow
                              ? QStringLiteral("the query gives one row")
                              : QStringLiteral("no key is a time bucket of a column");
            return;
        }
        m_shape.strategy = Strategy::Ranges;
        m_shape.why = QStringLiteral("key '%1' is %2")
                          .arg(m_shape.columns[m_shape.bucket->output].name, m_shape.bucket->words);
    }

    const ViewSpec &m_spec;
    const TableName &m_defaults;
    ExpandedQuery m_expanded{m_spec.query};
    sql::Query m_query;
    const sql::Select *m_select = nullptr;
    RelationNames m_names;
    QList<qsizetype> m_grouped;  // columns that GROUP BY names
    ViewShape m_shape;
};

}  // namespace

QString strategyName(Strategy strategy)
{
    return strategy == Strategy::Ranges ? QStringLiteral("ranges") : QStringLiteral("diff");
}

QStringList ViewShape::keys() const
{
    QStringList names;
    for (const auto &column : columns) {
        if (column.columnClass == ColumnClass::Key)
            names.append(column.name);
    }
    return names;
}

Result<ViewShape> shapeOf(const ViewSpec &spec, const TableName &defaults)
{
    return Shaper(spec, defaults).run();
}

}  // namespace ivm
