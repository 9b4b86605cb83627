// WITH (…) of CREATE TABLE.
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

}  // namespace

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
                at(unsupportedError(
                       QStringLiteral("table property '%1' is not supported by the embedded engine")
                           .arg(property.name.value))
                       .withHint(u"It knows partitioning, sorted_by, format and format_version"),
                   property.name.span, text));
        }
    }
    return result;
}

}  // namespace ivm::duckdb
