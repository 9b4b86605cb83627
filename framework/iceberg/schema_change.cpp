#include "framework/iceberg/schema_change.h"

#include <QSet>

#include <algorithm>

namespace ivm::iceberg {

namespace {

QString textOf(const FieldPath &path) { return path.join(u'.'); }

// An exact match wins over one that differs in case.
qsizetype indexOf(const QList<Field> &fields, QStringView name)
{
    qsizetype found = -1;
    for (qsizetype i = 0; i < fields.size(); ++i) {
        if (fields[i].name == name)
            return i;
        if (found < 0 && fields[i].name.compare(name, Qt::CaseInsensitive) == 0)
            found = i;
    }
    return found;
}

Error noColumn(const QList<Field> &columns, QStringView name)
{
    QStringList names;
    for (const auto &column : columns)
        names.append(column.name);
    return notFoundError(QStringLiteral("there is no column '%1' (there are: %2)")
                             .arg(name, names.join(QStringLiteral(", "))))
        .withCode(u"no_column");
}

Error noField(const FieldPath &before, const FieldType &type, QStringView name)
{
    return notFoundError(QStringLiteral("there is no field '%1' in '%2', which is of type %3")
                             .arg(name, textOf(before), toTrino(type).text()))
        .withCode(u"no_column");
}

Status checkNotMap(const FieldPath &path, const FieldType &type)
{
    if (type.id != TypeId::Map)
        return {};
    return fail(unsupportedError(
        QStringLiteral("'%1' is of type %2, and what is inside of a map cannot be altered")
            .arg(textOf(path), toTrino(type).text())));
}

// The field that a path leads to.
Result<Field *> find(Schema &schema, const FieldPath &path)
{
    const qsizetype column = indexOf(schema.fields, path.front());
    if (column < 0)
        return fail(noColumn(schema.fields, path.front()));
    Field *field = &schema.fields[column];
    for (qsizetype depth = 1; depth < path.size(); ++depth) {
        const FieldPath before = path.mid(0, depth);
        IVM_CHECK(checkNotMap(before, field->type));
        const qsizetype inside = indexOf(field->type.fields, path[depth]);
        if (inside < 0)
            return fail(noField(before, field->type, path[depth]));
        field = &field->type.fields[inside];
    }
    return field;
}

// The fields among which the one at the end of a path is, or would be: the columns, or a row's.
Result<QList<Field> *> findSiblings(Schema &schema, const FieldPath &path)
{
    if (path.size() == 1)
        return &schema.fields;
    const FieldPath parent = path.mid(0, path.size() - 1);
    IVM_TRY(Field * row, find(schema, parent));
    IVM_CHECK(checkNotMap(parent, row->type));
    if (row->type.id == TypeId::Struct)
        return &row->type.fields;
    return fail(unsupportedError(QStringLiteral("'%1' is of type %2, and only a row has fields")
                                     .arg(textOf(parent), toTrino(row->type).text()))
                    .withHint(row->type.id == TypeId::List
                                  ? QStringLiteral("The fields of an array's rows are behind "
                                                   "\"%1.element\"")
                                        .arg(textOf(parent))
                                  : QString()));
}

Status checkFree(const QList<Field> &siblings, const FieldPath &path)
{
    if (indexOf(siblings, path.back()) < 0)
        return {};
    return fail(
        alreadyExistsError(path.size() == 1
                               ? QStringLiteral("there is a column '%1' already").arg(path.back())
                               : QStringLiteral("there is a field '%1' in '%2' already")
                                     .arg(path.back(), textOf(path.mid(0, path.size() - 1))))
            .withCode(u"column_exists"));
}

void addIds(const Field &field, QSet<int> &ids)
{
    ids.insert(field.id);
    for (const auto &inside : field.type.fields)
        addIds(inside, ids);
}

Status checkUnused(const TableMetadata &metadata, const Field &field, const FieldPath &path)
{
    QSet<int> ids;
    addIds(field, ids);
    const auto uses = [&](const auto &user) { return ids.contains(user.sourceId); };
    const auto refused = [&](QStringView why, QStringView hint) {
        return fail(
            unsupportedError(QStringLiteral("'%1' cannot be dropped: %2").arg(textOf(path), why))
                .withHint(hint));
    };
    if (std::ranges::any_of(metadata.defaultSpec().fields, uses))
        return refused(u"the table is partitioned by it", u"");
    for (const auto &spec : metadata.specs) {
        if (std::ranges::any_of(spec.fields, uses))
            return refused(u"the table was partitioned by it", u"");
    }
    if (std::ranges::any_of(metadata.defaultSortOrder().fields, uses))
        return refused(u"the table is sorted by it",
                       u"First: ALTER TABLE … SET PROPERTIES sorted_by = …");
    if (std::ranges::any_of(metadata.currentSchema().identifierFieldIds,
                            [&](int id) { return ids.contains(id); }))
        return refused(u"it identifies the table's rows", u"");
    return {};
}

bool isWider(const FieldType &from, const FieldType &to)
{
    if (from.id == TypeId::Decimal)
        return to.id == TypeId::Decimal && to.scale == from.scale && to.precision > from.precision;
    return (from.id == TypeId::Int && to.id == TypeId::Long) ||
           (from.id == TypeId::Float && to.id == TypeId::Double);
}

Result<FieldType> newType(const Type &asked, int *lastId)
{
    IVM_TRY(const auto stored, storedType(asked));
    return toIceberg(stored.type, lastId);
}

Result<qsizetype> placeOf(const QList<Field> &columns, const FieldPosition &position)
{
    if (position.kind == FieldPosition::Kind::First)
        return 0;
    if (position.kind == FieldPosition::Kind::Last)
        return columns.size();
    const qsizetype after = indexOf(columns, position.after);
    if (after < 0)
        return fail(noColumn(columns, position.after));
    return after + 1;
}

}  // namespace

Status addField(TableMetadata &metadata, const FieldPath &path, const Column &column,
                const FieldPosition &position)
{
    Schema schema = metadata.currentSchema();
    IVM_TRY(QList<Field> * siblings, findSiblings(schema, path));
    IVM_CHECK(checkFree(*siblings, path));
    if (!column.nullable)
        return fail(unsupportedError(QStringLiteral("column '%1' cannot be NOT NULL: the rows that "
                                                    "there are have no value for it")
                                         .arg(textOf(path)))
                        .withHint(u"Add it without NOT NULL"));
    if (path.size() > 1 && position.kind != FieldPosition::Kind::Last)
        return fail(
            unsupportedError(QStringLiteral("a field inside of a row has no FIRST or AFTER")));
    IVM_TRY(const qsizetype place, placeOf(*siblings, position));
    int lastId = metadata.lastColumnId;
    Field field{.id = ++lastId, .name = path.back(), .doc = column.comment};
    auto type = newType(column.type, &lastId);
    if (!type)
        return fail(
            std::move(type).error().during(QStringLiteral("column '%1'").arg(textOf(path))));
    field.type = *type;
    siblings->insert(place, std::move(field));
    IVM_CHECK(checkPartitionNames(metadata.specs, schema));
    setCurrentSchema(metadata, std::move(schema));
    return {};
}

Status dropField(TableMetadata &metadata, const FieldPath &path)
{
    Schema schema = metadata.currentSchema();
    IVM_TRY(const Field *field, find(schema, path));
    IVM_TRY(QList<Field> * siblings, findSiblings(schema, path));
    if (siblings->size() == 1)
        return fail(unsupportedError(
            QStringLiteral("'%1' cannot be dropped: it is the only one that is left")
                .arg(textOf(path))));
    IVM_CHECK(checkUnused(metadata, *field, path));
    siblings->removeAt(indexOf(*siblings, path.back()));
    setCurrentSchema(metadata, std::move(schema));
    return {};
}

Status renameField(TableMetadata &metadata, const FieldPath &path, const QString &to)
{
    Schema schema = metadata.currentSchema();
    IVM_TRY(Field * field, find(schema, path));
    IVM_TRY(const QList<Field> *siblings, findSiblings(schema, path));
    FieldPath renamed = path;
    renamed.back() = to;
    IVM_CHECK(checkFree(*siblings, renamed));
    field->name = to;
    IVM_CHECK(checkPartitionNames(metadata.specs, schema));
    setCurrentSchema(metadata, std::move(schema));
    return {};
}

Status setFieldType(TableMetadata &metadata, const FieldPath &path, const Type &type)
{
    Schema schema = metadata.currentSchema();
    IVM_TRY(Field * field, find(schema, path));
    const Type now = toTrino(field->type);
    const bool isText = type.is(TypeKind::Varchar) && now.is(TypeKind::Varchar);
    if (type == now || isText)
        return {};
    int lastId = metadata.lastColumnId;
    IVM_TRY(const FieldType wanted, newType(type, &lastId));
    if (!isWider(field->type, wanted) || toTrino(wanted) != type)
        return fail(
            unsupportedError(QStringLiteral("column '%1' is of type %2 and cannot become %3")
                                 .arg(textOf(path), now.text(), type.text()))
                .withHint(u"integer can become bigint, real double, and a decimal one of more "
                          u"digits with the same scale"));
    field->type = wanted;
    setCurrentSchema(metadata, std::move(schema));
    return {};
}

Status dropNotNull(TableMetadata &metadata, const QString &column)
{
    Schema schema = metadata.currentSchema();
    IVM_TRY(Field * field, find(schema, {column}));
    if (!field->required)
        return fail(
            invalidError(QStringLiteral("column '%1' may be NULL already").arg(field->name)));
    if (schema.identifierFieldIds.contains(field->id))
        return fail(unsupportedError(
            QStringLiteral("column '%1' cannot be NULL: it identifies the table's rows")
                .arg(field->name)));
    field->required = false;
    setCurrentSchema(metadata, std::move(schema));
    return {};
}

Status setComment(TableMetadata &metadata, const QString &column, const QString &comment)
{
    Schema schema = metadata.currentSchema();
    IVM_TRY(Field * field, find(schema, {column}));
    field->doc = comment;
    setCurrentSchema(metadata, std::move(schema));
    return {};
}

namespace {

bool canReadTypeAs(const FieldType &written, const FieldType &read)
{
    if (!written.isNested() || written.id != read.id)
        return written == read || isWider(written, read);
    return std::ranges::all_of(read.fields, [&](const Field &field) {
        const auto before = std::ranges::find(written.fields, field.id, &Field::id);
        if (before == written.fields.end())
            return !field.required && read.id == TypeId::Struct;
        return (before->required || !field.required) && canReadTypeAs(before->type, field.type);
    });
}

}  // namespace

bool canReadAs(const Schema &written, const Schema &read)
{
    return canReadTypeAs({.id = TypeId::Struct, .fields = written.fields},
                         {.id = TypeId::Struct, .fields = read.fields});
}

}  // namespace ivm::iceberg
