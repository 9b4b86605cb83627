#include "plugins/executor_duckdb/table/relation.h"

#include "plugins/executor_duckdb/translate/translate.h"

#include "framework/iceberg/file_io.h"

#include <QFileInfo>
#include <QSet>

#include <algorithm>

namespace ivm::duckdb {

namespace {

// Data files that are read alike.
struct Group {
    QString prefix;  // what the locations have before the path: "file://"
    QStringList paths;
    QSet<QString> deletes;  // paths of position delete files
    // Paths of equality delete files by the columns that they compare.
    QMap<QList<int>, QStringList> equalityDeletes;
};

QString join(const QStringList &parts) { return parts.join(QStringLiteral(", ")); }

QString internalName(int fieldId) { return QStringLiteral("c%1").arg(fieldId); }

// A nested field is found by its name, so one id must have had one name, and one name one id, in
// every schema.
Status checkNested(const iceberg::FieldType &type, const QString &path, QHash<int, QString> &names,
                   QHash<QString, int> &ids)
{
    for (const auto &field : type.fields) {
        const QString name = path + u'.' + field.name;
        if (names.value(field.id, name) != name || ids.value(name, field.id) != field.id) {
            return fail(unsupportedError(
                QStringLiteral("nested field '%1' was renamed or made again, which this engine "
                               "cannot read")
                    .arg(name)));
        }
        names.insert(field.id, name);
        ids.insert(name, field.id);
        IVM_CHECK(checkNested(field.type, name, names, ids));
    }
    return {};
}

Status checkNested(const iceberg::TableMetadata &metadata)
{
    QHash<int, QString> names;
    QHash<QString, int> ids;
    for (const auto &column : metadata.currentSchema().fields) {
        if (!column.type.isNested())
            continue;
        for (const auto &schema : metadata.schemas) {
            if (const auto *same = schema.field(column.id))
                IVM_CHECK(checkNested(same->type, QString::number(column.id), names, ids));
        }
    }
    return {};
}

Status checkNames(const iceberg::Schema &schema)
{
    QSet<QString> seen{kPathColumn.toString(), kRowColumn.toString()};
    for (const auto &field : schema.fields) {
        const QString name = field.name.toLower();
        if (seen.contains(name)) {
            return fail(unsupportedError(
                QStringLiteral("column name '%1' occurs twice when case is ignored, or is one of "
                               "the hidden columns'")
                    .arg(field.name)));
        }
        seen.insert(name);
    }
    return {};
}

Result<QString> readableSchema(const QList<iceberg::Field> &fields)
{
    QStringList entries;
    for (const auto &field : fields) {
        IVM_TRY(const QString type, duckdbType(iceberg::toTrino(field.type)));
        entries.append(
            QStringLiteral("%1: {name: '%2', type: %3, default_value: NULL}")
                .arg(QString::number(field.id), internalName(field.id), quotedLiteral(type)));
    }
    return QStringLiteral("schema = MAP {%1}, hive_partitioning = false").arg(join(entries));
}

QString ownColumns(const iceberg::Schema &schema)
{
    QStringList columns;
    for (const auto &field : schema.fields)
        columns.append(internalName(field.id) + QStringLiteral(" AS ") +
                       quotedIdentifier(field.name));
    return join(columns);
}

QString hiddenColumns(const Group &group, WithRow withRow)
{
    const QString path = QStringLiteral(", %1 || filename AS %2")
                             .arg(quotedLiteral(group.prefix), quotedIdentifier(kPathColumn));
    return withRow == WithRow::No
               ? path
               : path + QStringLiteral(", file_row_number AS ") + quotedIdentifier(kRowColumn);
}

QString deletedRows(const QSet<QString> &deleteFiles)
{
    QStringList literals;
    for (const auto &path : deleteFiles)
        literals.append(quotedLiteral(path));
    literals.sort();
    // Without its columns it would delete nothing.
    return QStringLiteral("(SELECT coalesce(file_path, error(filename || ' is no position delete "
                          "file')) AS file_path, coalesce(pos, error(filename || ' is no position "
                          "delete file')) AS pos FROM read_parquet(%1, schema = MAP {%2: {name: "
                          "'file_path', type: "
                          "'VARCHAR', default_value: NULL}, %3: {name: 'pos', type: 'BIGINT', "
                          "default_value: NULL}}))")
        .arg(listSql(literals), QString::number(iceberg::kDeleteFilePathId),
             QString::number(iceberg::kDeletePositionId));
}

// The columns that equality deletes compare, dropped ones included.
Result<QList<iceberg::Field>> comparedFields(const QList<int> &ids, const QString &deleteFile,
                                             const iceberg::TableMetadata &metadata)
{
    QList<iceberg::Field> fields;
    for (const int id : ids) {
        const auto isId = [id](const auto &field) { return field.id == id; };
        const iceberg::Field *found = nullptr;
        for (const auto &schema : metadata.schemas) {
            const auto field = std::ranges::find_if(schema.fields, isId);
            if (field != schema.fields.end() && (!found || schema.id == metadata.currentSchemaId))
                found = &*field;
        }
        if (!found || found->type.isNested() || found->type.id == iceberg::TypeId::Float ||
            found->type.id == iceberg::TypeId::Double) {
            return fail(unsupportedError(
                            QStringLiteral("file %1 deletes rows by column %2, and this engine can "
                                           "compare only whole columns that are no floats")
                                .arg(deleteFile, QString::number(id)))
                            .withHint(u"Have the program that wrote it compact the table"));
        }
        fields.append(*found);
    }
    return fields;
}

Result<QString> withoutEqual(const Group &group, const iceberg::TableMetadata &metadata,
                             QList<iceberg::Field> &read)
{
    QString sql;
    for (const auto &[ids, paths] : group.equalityDeletes.asKeyValueRange()) {
        IVM_TRY(const auto fields, comparedFields(ids, paths.front(), metadata));
        IVM_TRY(const QString readable, readableSchema(fields));
        const QString alias = QStringLiteral("e%1").arg(ids.front());
        QStringList literals;
        for (const auto &path : paths)
            literals.append(quotedLiteral(path));
        QStringList equal;
        for (const auto &field : fields) {
            equal.append(QStringLiteral("%1.%2 IS NOT DISTINCT FROM f.%2")
                             .arg(alias, internalName(field.id)));
            const bool known =
                std::ranges::any_of(read, [&](const auto &other) { return other.id == field.id; });
            if (!known)
                read.append(field);
        }
        sql += QStringLiteral(" ANTI JOIN read_parquet(%1, %2) AS %3 ON (%4)")
                   .arg(listSql(literals), readable, alias, equal.join(QStringLiteral(" AND ")));
    }
    return sql;
}

Result<QString> groupSql(const Group &group, const iceberg::TableMetadata &metadata,
                         WithRow withRow)
{
    const auto &schema = metadata.currentSchema();
    QStringList literals;
    for (const auto &path : group.paths)
        literals.append(quotedLiteral(path));
    QList<iceberg::Field> read = schema.fields;
    IVM_TRY(const QString withoutEqualRows, withoutEqual(group, metadata, read));
    IVM_TRY(const QString readable, readableSchema(read));
    QString sql =
        QStringLiteral("SELECT %1%2 FROM read_parquet(%3, %4) AS f")
            .arg(ownColumns(schema), hiddenColumns(group, withRow), listSql(literals), readable);
    if (!group.deletes.isEmpty()) {
        sql += QStringLiteral(" ANTI JOIN %1 AS d ON (d.file_path = %2 || f.filename AND d.pos = "
                              "f.file_row_number)")
                   .arg(deletedRows(group.deletes), quotedLiteral(group.prefix));
    }
    return QString(sql + withoutEqualRows);
}

Result<QString> emptySql(const iceberg::Schema &schema, WithRow withRow)
{
    QStringList columns;
    for (const auto &field : schema.fields) {
        IVM_TRY(const QString type, duckdbType(iceberg::toTrino(field.type)));
        columns.append(
            QStringLiteral("CAST(NULL AS %1) AS %2").arg(type, quotedIdentifier(field.name)));
    }
    columns.append(QStringLiteral("CAST(NULL AS VARCHAR) AS ") + quotedIdentifier(kPathColumn));
    if (withRow == WithRow::Yes)
        columns.append(QStringLiteral("CAST(NULL AS BIGINT) AS ") + quotedIdentifier(kRowColumn));
    return QStringLiteral("(SELECT %1 WHERE false)").arg(join(columns));
}

// The engine takes *, ? and [ for patterns, except in the name of a file that is there.
Status checkWhole(const iceberg::DataFile &file, const QString &path)
{
    const QFileInfo found(path);
    const auto kind = file.content == iceberg::FileContent::Data ? QStringLiteral("data file")
                                                                 : QStringLiteral("delete file");
    if (!found.exists())
        return fail(corruptError(QStringLiteral("%1 %2 is missing").arg(kind, path)));
    if (found.size() < file.sizeInBytes)
        return fail(corruptError(QStringLiteral("%1 %2 has %3 bytes, and its manifest says %4")
                                     .arg(kind, path, QString::number(found.size()),
                                          QString::number(file.sizeInBytes))));
    return {};
}

Result<QString> readablePath(const iceberg::DataFile &file)
{
    if (file.format.compare(QStringLiteral("PARQUET"), Qt::CaseInsensitive) != 0) {
        return fail(unsupportedError(
            QStringLiteral("file %1 is in format %2; this engine reads Parquet only")
                .arg(file.path, file.format)));
    }
    IVM_TRY(const QString path, localPath(file.path));
    IVM_CHECK(checkWhole(file, path));
    return path;
}

// Files with the same equality deletes, and those with and without position deletes, are kept
// apart: only they are looked up in them.
Result<QList<Group>> groupsOf(const iceberg::LiveFiles &files)
{
    QMap<std::tuple<bool, QList<qsizetype>, QString>, Group> groups;
    for (const auto &live : files.data) {
        IVM_TRY(const QString path, readablePath(live.file));
        QList<qsizetype> positions;
        QList<qsizetype> equalities;
        for (const qsizetype index : live.deletes) {
            const auto content = files.deletes[size_t(index)].file.content;
            (content == iceberg::FileContent::EqualityDeletes ? equalities : positions)
                .append(index);
        }
        std::ranges::sort(equalities);
        const QString prefix = live.file.path.chopped(path.size());
        auto &group = groups[{!positions.isEmpty(), equalities, prefix}];
        const bool isNew = group.paths.isEmpty();
        group.prefix = prefix;
        group.paths.append(path);
        for (const qsizetype index : positions) {
            IVM_TRY(const QString deletePath, readablePath(files.deletes[size_t(index)].file));
            group.deletes.insert(deletePath);
        }
        for (qsizetype i = 0; isNew && i < equalities.size(); ++i) {
            const auto &deletes = files.deletes[size_t(equalities[i])].file;
            IVM_TRY(const QString deletePath, readablePath(deletes));
            if (deletes.equalityIds.isEmpty())
                return fail(
                    corruptError(QStringLiteral("file %1 holds equality deletes of no columns")
                                     .arg(deletes.path)));
            group.equalityDeletes[deletes.equalityIds].append(deletePath);
        }
    }
    return groups.values();
}

}  // namespace

QString listSql(const QStringList &literals) { return u'[' + join(literals) + u']'; }

Result<QString> relationSql(const TableRows &rows, WithRow withRow)
{
    const auto &schema = rows.metadata.currentSchema();
    IVM_CHECK(checkNames(schema));
    IVM_CHECK(checkNested(rows.metadata));
    if (rows.files.data.empty())
        return emptySql(schema, withRow);
    IVM_TRY(const auto groups, groupsOf(rows.files));
    QStringList parts;
    for (const auto &group : groups) {
        IVM_TRY(const QString part, groupSql(group, rows.metadata, withRow));
        parts.append(part);
    }
    return u'(' + parts.join(QStringLiteral(" UNION ALL ")) + u')';
}

}  // namespace ivm::duckdb
