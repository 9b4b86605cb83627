#include "framework/refresh/target_version.h"

#include "framework/api/table_json.h"
#include "framework/base/json.h"
#include "framework/refresh/known_bookmark.h"
#include "framework/view/outputs.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm {

namespace {

const QString kTable = QStringLiteral("table");
const QString kHead = QStringLiteral("head");
const QString kColumns = QStringLiteral("columns");
const QString kPartitioning = QStringLiteral("partitioning");
const QString kSortedBy = QStringLiteral("sorted_by");
const QString kComment = QStringLiteral("comment");
const QString kBookmark = QStringLiteral("bookmark");

QJsonArray columnsToJson(const QList<Column> &columns)
{
    QJsonArray array;
    for (const auto &column : columns)
        array.append(QJsonObject{{QStringLiteral("name"), column.name},
                                 {QStringLiteral("type"), column.type.text()},
                                 {QStringLiteral("field_id"), column.fieldId}});
    return array;
}

Result<QList<Column>> columnsFromJson(const QJsonArray &array, QStringView what)
{
    QList<Column> columns;
    for (const auto &value : array) {
        const QJsonObject object = value.toObject();
        Column column;
        IVM_TRY(column.name, json::string(object, u"name", what));
        IVM_TRY(const QString type, json::string(object, u"type", what));
        IVM_TRY(column.type, parseType(type));
        IVM_TRY(const qint64 fieldId, json::integer(object, u"field_id", what));
        column.fieldId = int(fieldId);
        columns.append(column);
    }
    return columns;
}

QStringList texts(const QList<PartitionField> &fields)
{
    QStringList out;
    for (const auto &field : fields)
        out.append(field.text());
    return out;
}

Result<QStringList> textsFromJson(const QJsonObject &object, QStringView key, QStringView what)
{
    IVM_TRY(const auto array, json::array(object, key, what));
    QStringList out;
    for (const auto &value : array)
        out.append(value.toString());
    return out;
}

// Engines leave out what is the default, or spell it.
QString sortWithDefaults(const QString &text)
{
    static const QRegularExpression shape(
        QStringLiteral(R"(^\s*(.+?)(?:\s+(ASC|DESC))?(?:\s+NULLS\s+(FIRST|LAST))?\s*$)"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = shape.match(text);
    QString column = match.captured(1);
    if (column.size() > 1 && column.startsWith(u'"') && column.endsWith(u'"'))
        column = column.sliced(1, column.size() - 2)
                     .replace(QStringLiteral("\"\""), QStringLiteral("\""));
    const bool descends = match.captured(2).compare(u"DESC", Qt::CaseInsensitive) == 0;
    QString nulls = match.captured(3).toUpper();
    if (nulls.isEmpty())
        nulls = descends ? QStringLiteral("LAST") : QStringLiteral("FIRST");
    return column.toLower() + (descends ? u" DESC " : u" ASC ") + nulls;
}

QStringList sortsOf(const TableSpec &table)
{
    QStringList out;
    for (const auto &text : table.sortedBy)
        out.append(sortWithDefaults(text));
    return out;
}

bool sameColumn(const Column &left, const Column &right)
{
    return left.name.compare(right.name, Qt::CaseInsensitive) == 0 && left.type == right.type;
}

// With their field ids, of a table that may have other columns than the view.
Result<QList<Column>> columnsOf(RefreshServices &services, const TableInfo &info, const Call &call)
{
    QList<OutputColumn> outputs;
    for (const auto &column : info.columns)
        outputs.append({.name = column.name, .type = column.type});
    return targetColumns(services.detector, info.name, info.head, outputs, call);
}

}  // namespace

QByteArray TargetVersion::toJson() const
{
    QJsonObject out{{kTable, nameToJson(table.name)},
                    {kHead, headToJson(head)},
                    {kColumns, columnsToJson(table.columns)},
                    {kPartitioning, QJsonArray::fromStringList(texts(table.partitioning))},
                    {kSortedBy, QJsonArray::fromStringList(table.sortedBy)},
                    {kComment, table.comment}};
    if (bookmark)
        out.insert(kBookmark, QString::fromUtf8(bookmark->toJson()));
    return json::compact(out);
}

Result<TargetVersion> TargetVersion::fromJson(const QByteArray &bytes, QStringView what)
{
    IVM_TRY(const auto object, json::parseObject(bytes, what));
    TargetVersion version;
    IVM_TRY(const auto name, json::object(object, kTable, what));
    IVM_TRY(version.table.name, nameFromJson(name, what));
    IVM_TRY(const auto head, json::object(object, kHead, what));
    IVM_TRY(version.head, headFromJson(head, what));
    IVM_TRY(const auto columns, json::array(object, kColumns, what));
    IVM_TRY(version.table.columns, columnsFromJson(columns, what));
    IVM_TRY(const auto partitioning, textsFromJson(object, kPartitioning, what));
    for (const auto &text : partitioning) {
        IVM_TRY(const auto field, parsePartitionField(text));
        version.table.partitioning.append(field);
    }
    IVM_TRY(version.table.sortedBy, textsFromJson(object, kSortedBy, what));
    IVM_TRY(version.table.comment, json::string(object, kComment, what));
    if (object.contains(kBookmark)) {
        IVM_TRY(const QString bookmark, json::string(object, kBookmark, what));
        IVM_TRY(version.bookmark, Bookmark::fromJson(bookmark.toUtf8(), what));
    }
    return version;
}

Result<TargetVersion> versionNow(RefreshServices &services, const View &view, Session &session,
                                 const Call &call)
{
    TargetVersion version;
    version.table.name = view.spec.target;
    const auto open = [&]() -> Result<Session *> { return &session; };
    IVM_TRY(version.bookmark, knownBookmark(services, view, open, call));
    const auto info = session.tableInfo(view.spec.target, call);
    if (!info && info.error().kind == ErrorKind::NotFound)
        return version;
    if (!info)
        return fail(info.error());
    version.head = info->head;
    IVM_TRY(version.table.columns, columnsOf(services, *info, call));
    version.table.partitioning = info->partitioning;
    version.table.sortedBy = info->sortedBy;
    version.table.comment = info->comment;
    return version;
}

bool sameLayout(const TableSpec &left, const TableSpec &right)
{
    return std::ranges::equal(left.columns, right.columns, sameColumn) &&
           left.partitioning == right.partitioning && sortsOf(left) == sortsOf(right) &&
           left.comment == right.comment;
}

QString rowsOf(const TargetVersion &version)
{
    QStringList columns;
    for (const auto &column : version.table.columns)
        columns.append(quotedIdentifier(column.name));
    return QStringLiteral("SELECT %1 FROM %2 FOR VERSION AS OF %3")
        .arg(columns.join(QStringLiteral(", ")), version.table.name.quoted(),
             QString::number(*version.head.snapshot));
}

}  // namespace ivm
