#include "framework/migrate/operation_reader.h"

#include "framework/base/json.h"
#include "framework/base/nearest.h"
#include "framework/migrate/sort_text.h"
#include "framework/sql/parser.h"
#include "framework/sql/span.h"
#include "framework/sqlexec/ddl.h"
#include "framework/view/view_name.h"
#include "framework/yaml/fields.h"
#include "framework/yaml/node_json.h"

#include <QCryptographicHash>
#include <QJsonObject>

#include <functional>

namespace ivm::migrate {

namespace {

const QString kTable = QStringLiteral("table");
const QString kName = QStringLiteral("name");
const QString kFrom = QStringLiteral("from");
const QString kTo = QStringLiteral("to");
const QString kType = QStringLiteral("type");
const QString kComment = QStringLiteral("comment");
const QString kNullable = QStringLiteral("nullable");
const QString kPartitioning = QStringLiteral("partitioning");
const QString kSortedBy = QStringLiteral("sorted_by");
const QString kProperties = QStringLiteral("properties");

// The fields of one operation, with what its readers share.
class Reader {
public:
    Reader(const yaml::Node &map, const QString &operation, const TableName &defaults,
           QList<Error> &problems)
        : m_map(map), m_defaults(defaults), m_problems(problems), m_fields(map, operation, problems)
    {
    }

    Fields &fields() { return m_fields; }
    const TableName &defaults() const { return m_defaults; }

    TableName table(const QString &key = kTable)
    {
        const auto text = m_fields.requiredText(key);
        if (!text)
            return {};
        if (auto name = parseTableName(*text, m_defaults); name)
            return *std::move(name);
        else
            reportIn(key, name.error());
        return {};
    }

    // One or two parts: a schema, and its catalog before it.
    TableName schema()
    {
        const auto text = m_fields.requiredText(kName);
        if (!text)
            return {};
        auto name = parseTableName(QString(*text + u".t"), m_defaults);
        if (!name) {
            reportIn(kName, name.error());
            return {};
        }
        name->table.clear();
        return *std::move(name);
    }

    QString text(const QString &key) { return m_fields.requiredText(key).value_or(QString()); }

    // As the name of a view in views.yaml: a history that held another could not be read back.
    QString newViewName(const QString &key)
    {
        const QString name = text(key);
        if (!name.isEmpty() && !isViewName(name))
            m_fields.report(QStringLiteral("'%1' is not a name").arg(name.left(80)),
                            m_fields.node(key)->place,
                            QStringLiteral("Use letters, digits and _, not starting with a digit"));
        return name;
    }

    // Column names are told apart without regard to case, and kept in lower case.
    QString column(const QString &key) { return text(key).toLower(); }

    std::optional<Type> type(const QString &key = kType)
    {
        const auto spelled = m_fields.text(key);
        if (!spelled)
            return std::nullopt;
        if (auto parsed = parseType(*spelled); parsed)
            return *std::move(parsed);
        else
            reportIn(key, parsed.error());
        return std::nullopt;
    }

    QList<PartitionField> partitioning()
    {
        QList<PartitionField> out;
        for (const auto &item : m_fields.texts(kPartitioning).value_or(QStringList())) {
            auto field = parsePartitionField(item);
            if (!field) {
                reportIn(kPartitioning, field.error());
                continue;
            }
            field->column = field->column.toLower();
            out.append(*std::move(field));
        }
        return out;
    }

    QStringList sortedBy()
    {
        QStringList out;
        for (const auto &item : m_fields.texts(kSortedBy).value_or(QStringList()))
            out.append(canonicalSort(item));
        return out;
    }

    Properties properties()
    {
        Properties out;
        const yaml::Node *map = m_fields.map(kProperties);
        if (!map)
            return out;
        for (const auto &entry : map->entries) {
            if (out.contains(entry.key))
                m_fields.report(QStringLiteral("property '%1' is there twice").arg(entry.key),
                                entry.place);
            if (const auto literal = propertyLiteral(entry.value))
                out.insert(entry.key.toLower(), *literal);
            else
                m_fields.report(QStringLiteral("property '%1' is %2, expected text, a number, true "
                                               "or false, a list of texts, or nothing for its "
                                               "default")
                                    .arg(entry.key, entry.value.kindName()),
                                entry.value.place);
        }
        return out;
    }

    QList<Column> columns()
    {
        QList<Column> out;
        const QString key = QStringLiteral("columns");
        const yaml::Node *list = m_fields.list(key);
        if (!list || list->items.empty()) {
            m_fields.report(QStringLiteral("'columns' is missing, expected a list of maps with "
                                           "name and type"),
                            m_map.place);
            return out;
        }
        for (const auto &item : list->items) {
            if (item.kind != yaml::Node::Kind::Map) {
                m_fields.report(QStringLiteral("a column is %1, expected a map with name and type")
                                    .arg(item.kindName()),
                                item.place);
                continue;
            }
            Reader column(item, QStringLiteral("column"), m_defaults, m_problems);
            out.append(column.columnDefinition());
            column.finish();
        }
        return out;
    }

    Column columnDefinition()
    {
        Column out;
        out.name = column(kName);
        (void)m_fields.requiredText(kType);
        out.type = type().value_or(Type());
        out.nullable = m_fields.boolean(kNullable).value_or(true);
        out.comment = m_fields.text(kComment).value_or(QString());
        return out;
    }

    enum class Need { Required, Optional };
    // One SQL statement, without the semicolon that may end it. A statement that only the engine
    // knows is the engine's to judge.
    QString statement(const QString &key, Need need = Need::Required)
    {
        const auto given = need == Need::Required ? m_fields.requiredText(key) : m_fields.text(key);
        if (!given)
            return {};
        QString sql = given->trimmed();
        if (const auto parsed = sql::parseStatement(sql);
            !parsed && parsed.error().kind == ErrorKind::Invalid) {
            const yaml::Node &node = *m_fields.node(key);
            m_fields.report(QStringLiteral("'%1': %2").arg(key, parsed.error().message),
                            yaml::placeInText(node, parsed.error().place), parsed.error().hint);
        }
        if (sql.endsWith(u';'))
            sql.chop(1);
        return sql.trimmed();
    }

    // The view's own fields are read, and reported, by the reader of views.
    ViewSpec view(const yaml::Node &node)
    {
        const QString nameless = QStringLiteral("without a name");
        ViewEntry entry = readViewEntry(node, nameless, m_defaults);
        m_problems.append(entry.problems);
        return entry.spec;
    }

    void reportIn(const QString &key, const Error &error)
    {
        m_fields.report(QStringLiteral("'%1': %2").arg(key, error.message),
                        m_fields.node(key)->place, error.hint);
    }

    void finish() { m_fields.finish(); }

private:
    // Outer none: no such value. Inner none: the default.
    static std::optional<std::optional<QString>> propertyLiteral(const yaml::Node &node)
    {
        switch (node.kind) {
        case yaml::Node::Kind::Null: return std::optional<QString>();
        case yaml::Node::Kind::Map: return std::nullopt;
        case yaml::Node::Kind::List: {
            QStringList items;
            for (const auto &item : node.items) {
                if (item.kind != yaml::Node::Kind::Scalar)
                    return std::nullopt;
                items.append(item.text);
            }
            return arraySql(items);
        }
        case yaml::Node::Kind::Scalar: break;
        }
        const auto value = yaml::jsonOf(node);
        if (value.isString())
            return quotedLiteral(node.text);
        return node.text;
    }

    const yaml::Node &m_map;
    const TableName &m_defaults;
    QList<Error> &m_problems;
    Fields m_fields;
};

using Read = std::function<Operation(Reader &)>;

struct Form {
    QString name;
    Read read;
};

Operation readAlterColumn(Reader &in)
{
    AlterColumn out{.table = in.table(),
                    .column = in.column(kName),
                    .type = in.type(),
                    .comment = in.fields().text(kComment),
                    .dropNotNull = false};
    if (const yaml::Node *node = in.fields().node(kNullable)) {
        out.dropNotNull = in.fields().boolean(kNullable).value_or(false);
        if (!out.dropNotNull)
            in.fields().report(QStringLiteral("'nullable: false' is not possible: rows that are "
                                              "there may hold NULL"),
                               node->place,
                               QStringLiteral("Only 'nullable: true' can be set on a column that "
                                              "exists"));
    }
    return out;
}

Operation readCreateTable(Reader &in)
{
    CreateTable out;
    out.spec.name = in.table(kName);
    out.spec.columns = in.columns();
    out.spec.partitioning = in.partitioning();
    out.spec.sortedBy = in.sortedBy();
    out.spec.format = in.fields().text(QStringLiteral("format")).value_or(out.spec.format);
    out.spec.comment = in.fields().text(kComment).value_or(QString());
    out.properties = in.properties();
    return out;
}

Operation readSql(Reader &in)
{
    return Sql{.statement = in.statement(QStringLiteral("statement")),
               .undo = in.statement(QStringLiteral("undo"), Reader::Need::Optional)};
}

// Those on views are read from their node as a whole, below.
const QList<Form> &forms()
{
    static const QList<Form> all{
        {QStringLiteral("create_view"), {}},
        {QStringLiteral("replace_view"), {}},
        {QStringLiteral("restore_view"), [](Reader &in) { return RestoreView{in.text(kName)}; }},
        {QStringLiteral("drop_view"),
         [](Reader &in) {
             return DropView{in.text(kName),
                             in.fields().boolean(QStringLiteral("drop_target")).value_or(false)};
         }},
        {QStringLiteral("rename_view"),
         [](Reader &in) { return RenameView{in.text(kFrom), in.newViewName(kTo)}; }},
        {QStringLiteral("backfill"),
         [](Reader &in) { return Backfill{in.text(QStringLiteral("view"))}; }},
        {QStringLiteral("create_schema"), [](Reader &in) { return CreateSchema{in.schema()}; }},
        {QStringLiteral("drop_schema"), [](Reader &in) { return DropSchema{in.schema()}; }},
        {QStringLiteral("create_table"), readCreateTable},
        {QStringLiteral("drop_table"), [](Reader &in) { return DropTable{in.table(kName)}; }},
        {QStringLiteral("rename_table"),
         [](Reader &in) { return RenameTable{in.table(kFrom), in.table(kTo)}; }},
        {QStringLiteral("add_column"),
         [](Reader &in) { return AddColumn{in.table(), in.columnDefinition()}; }},
        {QStringLiteral("drop_column"),
         [](Reader &in) { return DropColumn{in.table(), in.column(kName)}; }},
        {QStringLiteral("rename_column"),
         [](Reader &in) { return RenameColumn{in.table(), in.column(kFrom), in.column(kTo)}; }},
        {QStringLiteral("alter_column"), readAlterColumn},
        {QStringLiteral("set_partitioning"),
         [](Reader &in) { return SetPartitioning{in.table(), in.partitioning()}; }},
        {QStringLiteral("set_sort_order"),
         [](Reader &in) { return SetSortOrder{in.table(), in.sortedBy()}; }},
        {QStringLiteral("set_properties"),
         [](Reader &in) { return SetProperties{in.table(), in.properties()}; }},
        {QStringLiteral("sql"), readSql},
    };
    return all;
}

// replace_view has one field more than a view.
Operation readReplaceView(const yaml::Node &node, const QString &name, const TableName &defaults,
                          QList<Error> &problems)
{
    const QString key = QStringLiteral("verify");
    ReplaceView out;
    yaml::Node view = node;
    std::erase_if(view.entries, [&](const yaml::Entry &entry) { return entry.key == key; });
    yaml::Node rest = node;
    std::erase_if(rest.entries, [&](const yaml::Entry &entry) { return entry.key != key; });
    Fields fields(rest, name, problems);
    out.verify = fields.boolean(key).value_or(true);
    fields.finish();
    out.spec = Reader(view, name, defaults, problems).view(view);
    return out;
}

Operation readOperation(const Form &form, const yaml::Node &map, const TableName &defaults,
                        QList<Error> &problems)
{
    if (form.name == u"replace_view")
        return readReplaceView(map, form.name, defaults, problems);
    Reader reader(map, form.name, defaults, problems);
    if (form.name == u"create_view")
        return CreateView{reader.view(map)};
    Operation out = form.read(reader);
    reader.finish();
    return out;
}

// Its operation, and nothing else.
const yaml::Entry *onlyEntry(const yaml::Node &node, QList<Error> &problems)
{
    if (node.kind == yaml::Node::Kind::Map && node.entries.size() == 1)
        return &node.entries.front();
    const QString found = node.kind == yaml::Node::Kind::Map
                              ? QStringLiteral("a map of %1 keys").arg(node.entries.size())
                              : node.kindName();
    problems.append(
        invalidError(QStringLiteral("a step is %1, expected one operation such as create_view: "
                                    "{…}")
                         .arg(found))
            .withCode(u"migration")
            .at(node.place)
            .withHint(u"Begin each operation with '- '"));
    return nullptr;
}

QString checksumOfStep(const yaml::Node &node)
{
    const QJsonObject object = yaml::jsonOf(node).toObject();
    const QByteArray bytes = json::compact(object);
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
}

}  // namespace

QStringList operationNames()
{
    QStringList names;
    for (const auto &form : forms())
        names.append(form.name);
    return names;
}

QList<Step> readSteps(const yaml::Node &list, const TableName &defaults, QList<Error> &problems)
{
    QList<Step> steps;
    for (const auto &node : list.items) {
        const yaml::Entry *entry = onlyEntry(node, problems);
        if (!entry)
            continue;
        const auto form = std::ranges::find(forms(), entry->key, &Form::name);
        if (form == forms().end()) {
            problems.append(
                invalidError(QStringLiteral("there is no operation '%1'").arg(entry->key.left(80)))
                    .withCode(u"migration")
                    .at(entry->place)
                    .withHint(nearestHint(entry->key, operationNames())));
            continue;
        }
        if (entry->value.kind != yaml::Node::Kind::Map) {
            problems.append(invalidError(QStringLiteral("%1: this is %2, expected a map")
                                             .arg(form->name, entry->value.kindName()))
                                .withCode(u"migration")
                                .at(entry->value.place));
            continue;
        }
        const qsizetype before = problems.size();
        Operation operation = readOperation(*form, entry->value, defaults, problems);
        if (problems.size() == before)
            steps.append({std::move(operation), entry->place, checksumOfStep(node)});
    }
    return steps;
}

}  // namespace ivm::migrate
