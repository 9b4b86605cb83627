// WITH (…) of CREATE TABLE, and ALTER TABLE … SET PROPERTIES.
#include "plugins/executor_duckdb/statement/ddl.h"

namespace ivm::duckdb {

namespace {

Error at(Error error, const sql::Span &span, QStringView text)
{
    return std::move(error).at(sql::placeOf(text, span.begin));
}

Error wrongValue(const sql::Property &property, QStringView expected, QStringView text)
{
    return at(
        invalidError(
            QStringLiteral("table property '%1' takes %2").arg(property.name.value, expected)),
        property.name.span, text);
}

Error unknown(const sql::Property &property, QStringView known, QStringView text)
{
    return at(unsupportedError(
                  QStringLiteral("table property '%1' is not supported by the embedded engine")
                      .arg(property.name.value))
                  .withHint(QStringLiteral("It knows %1").arg(known)),
              property.name.span, text);
}

// 'x' or ARRAY['x', 'y'].
std::optional<QStringList> texts(const sql::ExprPtr &value)
{
    if (const auto *text = sql::as<sql::StringLiteral>(value))
        return QStringList{text->value};
    const auto *array = sql::as<sql::ArrayConstructor>(value);
    if (!array)
        return {};
    QStringList items;
    for (const auto &item : array->items) {
        const auto *text = sql::as<sql::StringLiteral>(item);
        if (!text)
            return {};
        items.append(text->value);
    }
    return items;
}

Status readPartitioning(const sql::Property &property, QStringView text,
                        TableProperties &properties)
{
    const auto fields = texts(property.value);
    if (!fields)
        return fail(wrongValue(property, u"an array of texts, as in ARRAY['day(x)', 'y']", text));
    for (const QString &field : *fields) {
        auto parsed = parsePartitionField(field);
        if (!parsed)
            return fail(at(std::move(parsed).error(), property.name.span, text));
        properties.partitioning.append(*parsed);
    }
    return {};
}

Status readFormat(const sql::Property &property, QStringView text, TableProperties &properties)
{
    const auto *format = sql::as<sql::StringLiteral>(property.value);
    if (!format)
        return fail(wrongValue(property, u"a text, as in 'PARQUET'", text));
    if (format->value.compare(QStringLiteral("PARQUET"), Qt::CaseInsensitive) != 0) {
        return fail(at(
            unsupportedError(QStringLiteral("format '%1' is not supported by the embedded engine")
                                 .arg(format->value))
                .withHint(u"It writes PARQUET"),
            property.name.span, text));
    }
    properties.format = format->value.toUpper();
    return {};
}

Status readVersion(const sql::Property &property, QStringView text)
{
    const auto *version = sql::as<sql::IntegerLiteral>(property.value);
    if (!version)
        return fail(wrongValue(property, u"a number, as in 2", text));
    if (version->value != iceberg::kFormatVersion) {
        return fail(
            at(unsupportedError(
                   QStringLiteral("format_version %1 is not supported by the embedded engine")
                       .arg(version->value))
                   .withHint(u"It writes version 2"),
               property.name.span, text));
    }
    return {};
}

// MAP(ARRAY['a'], ARRAY['x'])
std::optional<QMap<QString, QString>> textMap(const sql::ExprPtr &value)
{
    const auto *call = sql::as<sql::FunctionCall>(value);
    if (!call || call->arguments.size() != 2 ||
        !sql::sameName(call->name.last().value, QStringLiteral("map")))
        return {};
    const auto keys = texts(call->arguments[0]);
    const auto values = texts(call->arguments[1]);
    if (!keys || !values || keys->size() != values->size())
        return {};
    QMap<QString, QString> map;
    for (qsizetype i = 0; i < keys->size(); ++i)
        map.insert(keys->at(i), values->at(i));
    return map;
}

// Has a property or a statement of its own, or decides how the table's files are read.
bool isReserved(const QString &key)
{
    static const QStringList kKeys{QStringLiteral("comment"),
                                   QStringLiteral("format-version"),
                                   QStringLiteral("write.format.default"),
                                   QStringLiteral("commit.retry.num-retries"),
                                   QStringLiteral("schema.name-mapping.default"),
                                   QStringLiteral("write.data.path"),
                                   QStringLiteral("write.metadata.path"),
                                   QStringLiteral("write.object-storage.enabled")};
    return kKeys.contains(key);
}

Status setExtra(iceberg::TableMetadata &metadata, const sql::Property &property, QStringView text)
{
    const auto extra = textMap(property.value);
    if (!extra || extra->isEmpty())
        return fail(
            wrongValue(property, u"a map of texts, as in MAP(ARRAY['x'], ARRAY['1'])", text));
    for (const auto &[key, value] : extra->asKeyValueRange()) {
        if (isReserved(key))
            return fail(
                at(invalidError(QStringLiteral("extra_properties cannot set '%1'").arg(key)),
                   property.name.span, text));
        metadata.properties.insert(key, value);
    }
    return {};
}

Status setRetries(iceberg::TableMetadata &metadata, const sql::Property &property, QStringView text)
{
    constexpr qint64 kDefaultRetries = 4;  // Trino's
    const auto *number = sql::as<sql::IntegerLiteral>(property.value);
    if (property.value && !number)
        return fail(wrongValue(property, u"a number, as in 4", text));
    metadata.properties.insert(QStringLiteral("commit.retry.num-retries"),
                               QString::number(number ? number->value : kDefaultRetries));
    return {};
}

Status setProperty(iceberg::TableMetadata &metadata, const sql::Property &property,
                   QStringView text)
{
    const QString name = property.name.value.toLower();
    if (name == u"extra_properties")
        return setExtra(metadata, property, text);
    if (name == u"max_commit_retry")
        return setRetries(metadata, property, text);
    static const QStringList kOfNewTables{QStringLiteral("partitioning"),
                                          QStringLiteral("sorted_by"), QStringLiteral("format"),
                                          QStringLiteral("format_version")};
    if (!kOfNewTables.contains(name))
        return fail(unknown(property,
                            u"partitioning, sorted_by, format, format_version, max_commit_retry "
                            u"and extra_properties",
                            text));
    TableProperties read;
    if (property.value) {
        IVM_TRY(read, tableProperties({property}, text));
    }
    if (name == u"partitioning")
        return iceberg::setPartitioning(metadata, read.partitioning);
    if (name == u"sorted_by") {
        IVM_TRY(auto order, iceberg::makeSortOrder(read.sortedBy, metadata.currentSchema()));
        iceberg::useSortOrder(metadata, std::move(order));
    } else if (name == u"format") {
        metadata.properties.insert(QStringLiteral("write.format.default"), read.format);
    } else {
        metadata.formatVersion = iceberg::kFormatVersion;
    }
    return {};
}

}  // namespace

Status setProperties(iceberg::TableMetadata &metadata, const std::vector<sql::Property> &properties,
                     QStringView text)
{
    for (const auto &property : properties) {
        if (auto set = setProperty(metadata, property, text); !set)
            return fail(at(std::move(set).error(), property.name.span, text));
    }
    return {};
}

Result<TableProperties> tableProperties(const std::vector<sql::Property> &properties,
                                        QStringView text)
{
    TableProperties result;
    for (const auto &property : properties) {
        const QString name = property.name.value.toLower();
        if (name == u"partitioning") {
            IVM_CHECK(readPartitioning(property, text, result));
        } else if (name == u"sorted_by") {
            const auto columns = texts(property.value);
            if (!columns)
                return fail(
                    wrongValue(property, u"an array of texts, as in ARRAY['x', 'y DESC']", text));
            result.sortedBy = *columns;
        } else if (name == u"format") {
            IVM_CHECK(readFormat(property, text, result));
        } else if (name == u"format_version") {
            IVM_CHECK(readVersion(property, text));
        } else {
            return fail(
                unknown(property, u"partitioning, sorted_by, format and format_version", text));
        }
    }
    return result;
}

}  // namespace ivm::duckdb
