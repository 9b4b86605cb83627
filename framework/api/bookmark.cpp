#include "framework/api/store.h"

#include "framework/api/table_json.h"
#include "framework/base/json.h"

namespace ivm {

namespace {

constexpr int kVersion = 1;

constexpr std::pair<ColumnClass, QStringView> kClasses[] = {
    {ColumnClass::Key, u"key"},
    {ColumnClass::Exact, u"exact"},
    {ColumnClass::Float, u"float"},
    {ColumnClass::Approximate, u"approximate"},
    {ColumnClass::OrderDependent, u"order_dependent"},
};

QJsonObject outputToJson(const OutputColumn &column)
{
    QStringView word;
    for (const auto &[value, name] : kClasses) {
        if (value == column.columnClass)
            word = name;
    }
    return {{QStringLiteral("name"), column.name},
            {QStringLiteral("type"), column.type.text()},
            {QStringLiteral("class"), word.toString()}};
}

Result<OutputColumn> outputFromJson(const QJsonObject &object, QStringView what)
{
    OutputColumn column;
    IVM_TRY(column.name, json::string(object, u"name", what));
    IVM_TRY(const QString type, json::string(object, u"type", what));
    IVM_TRY(column.type, parseType(type));
    IVM_TRY(const QString word, json::string(object, u"class", what));
    for (const auto &[value, name] : kClasses) {
        if (word == name) {
            column.columnClass = value;
            return column;
        }
    }
    return fail(corruptError(QStringLiteral("%1: '%2' is not a column class").arg(what, word)));
}

QJsonObject columnToJson(const Column &column)
{
    return {{QStringLiteral("name"), column.name},
            {QStringLiteral("type"), column.type.text()},
            {QStringLiteral("field_id"), column.fieldId}};
}

Result<Column> columnFromJson(const QJsonObject &object, QStringView what)
{
    Column column;
    IVM_TRY(column.name, json::string(object, u"name", what));
    IVM_TRY(const QString type, json::string(object, u"type", what));
    IVM_TRY(column.type, parseType(type));
    IVM_TRY(const qint64 fieldId, json::integer(object, u"field_id", what));
    column.fieldId = int(fieldId);
    return column;
}

QJsonArray columnsToJson(const QList<Column> &columns)
{
    QJsonArray array;
    for (const auto &column : columns)
        array.append(columnToJson(column));
    return array;
}

Result<QList<Column>> columnsFromJson(const QJsonObject &object, QStringView key, QStringView what)
{
    IVM_TRY(const auto array, json::array(object, key, what));
    QList<Column> columns;
    for (const auto &value : array) {
        IVM_TRY(auto column, columnFromJson(value.toObject(), what));
        columns.append(column);
    }
    return columns;
}

QJsonObject sourceToJson(const SourceMark &source)
{
    const bool driving = source.role == SourceRole::Driving;
    return {{QStringLiteral("table"), nameToJson(source.table)},
            {QStringLiteral("role"), driving ? QStringLiteral("driving") : QStringLiteral("other")},
            {QStringLiteral("head"), headToJson(source.head)},
            {QStringLiteral("columns"), columnsToJson(source.columns)},
            {QStringLiteral("pinnable"), source.pinnable},
            {QStringLiteral("exact"), source.exact}};
}

Result<SourceMark> sourceFromJson(const QJsonObject &object, QStringView what)
{
    SourceMark source;
    IVM_TRY(const auto table, json::object(object, u"table", what));
    IVM_TRY(source.table, nameFromJson(table, what));
    IVM_TRY(const QString role, json::string(object, u"role", what));
    source.role = role == u"driving" ? SourceRole::Driving : SourceRole::Other;
    IVM_TRY(const auto head, json::object(object, u"head", what));
    IVM_TRY(source.head, headFromJson(head, what));
    IVM_TRY(source.columns, columnsFromJson(object, u"columns", what));
    source.pinnable = object.value(u"pinnable").toBool(false);
    source.exact = object.value(u"exact").toBool(false);
    return source;
}

}  // namespace

QByteArray Bookmark::toJson() const
{
    QJsonArray outputList;
    for (const auto &column : outputs)
        outputList.append(outputToJson(column));
    QJsonArray sourceList;
    for (const auto &source : sources)
        sourceList.append(sourceToJson(source));
    return json::compact({{QStringLiteral("version"), kVersion},
                          {QStringLiteral("view"), view},
                          {QStringLiteral("definition_hash"), definitionHash},
                          {QStringLiteral("outputs"), outputList},
                          {QStringLiteral("sources"), sourceList},
                          {QStringLiteral("target"), nameToJson(target)},
                          {QStringLiteral("target_head"), headToJson(targetHead)},
                          {QStringLiteral("target_columns"), columnsToJson(targetColumns)},
                          {QStringLiteral("resume_from"), resumeFrom}});
}

Result<Bookmark> Bookmark::fromJson(const QByteArray &bytes, QStringView what)
{
    IVM_TRY(const auto object, json::parseObject(bytes, what));
    IVM_TRY(const qint64 version, json::integer(object, u"version", what));
    if (version != kVersion)
        return fail(
            corruptError(QStringLiteral("%1 is of version %2, expected %3")
                             .arg(what, QString::number(version), QString::number(kVersion))));
    Bookmark bookmark;
    IVM_TRY(bookmark.view, json::string(object, u"view", what));
    IVM_TRY(bookmark.definitionHash, json::string(object, u"definition_hash", what));
    IVM_TRY(bookmark.resumeFrom, json::string(object, u"resume_from", what));
    IVM_TRY(const auto target, json::object(object, u"target", what));
    IVM_TRY(bookmark.target, nameFromJson(target, what));
    IVM_TRY(const auto head, json::object(object, u"target_head", what));
    IVM_TRY(bookmark.targetHead, headFromJson(head, what));
    IVM_TRY(bookmark.targetColumns, columnsFromJson(object, u"target_columns", what));
    IVM_TRY(const auto outputs, json::array(object, u"outputs", what));
    for (const auto &value : outputs) {
        IVM_TRY(auto column, outputFromJson(value.toObject(), what));
        bookmark.outputs.append(column);
    }
    IVM_TRY(const auto sources, json::array(object, u"sources", what));
    for (const auto &value : sources) {
        IVM_TRY(auto source, sourceFromJson(value.toObject(), what));
        bookmark.sources.append(source);
    }
    return bookmark;
}

}  // namespace ivm
