#include "plugins/executor_duckdb/table/file_stats.h"

#include <QRegularExpression>

namespace ivm::duckdb {

namespace {

using Texts = QMap<QString, std::optional<QString>>;

// The result's columns: filename, count, file_size_bytes, footer_size_bytes, column_statistics,
// partition_keys.
enum Position : size_t { Filename, Count, FileSize, FooterSize, Statistics, Keys, ColumnCount };

struct Primitive {
    int fieldId;
    iceberg::FieldType type;
};

// Every primitive field by the name that the engine gives it: "a"."b". Those inside lists and maps
// have no metrics, as with other writers.
void addPrimitives(const QList<iceberg::Field> &fields, const QString &prefix,
                   QMap<QString, Primitive> &found)
{
    for (const auto &field : fields) {
        const QString name = prefix + quotedIdentifier(field.name);
        if (field.type.id == iceberg::TypeId::Struct)
            addPrimitives(field.type.fields, name + u'.', found);
        else if (!field.type.isNested())
            found.insert(name, {field.id, field.type});
    }
}

std::optional<QString> textOf(const Value &value)
{
    const auto *text = std::get_if<QString>(&value.data);
    return text ? std::optional(*text) : std::nullopt;
}

std::optional<qint64> countOf(const std::optional<QString> &text)
{
    bool ok = false;
    const qint64 count = text ? text->toLongLong(&ok) : 0;
    return ok ? std::optional(count) : std::nullopt;
}

// Keys and values in turn.
Texts textsOf(const Value &map)
{
    Texts texts;
    if (const auto *pairs = std::get_if<std::vector<Value>>(&map.data)) {
        for (size_t i = 0; i + 1 < pairs->size(); i += 2)
            texts.insert((*pairs)[i].text(), textOf((*pairs)[i + 1]));
    }
    return texts;
}

// What the engine writes otherwise than literalFromText() reads it: "0044-03-15 (BC)" for a date of
// the year -43, ".5" for a decimal.
QString spelled(const QString &text)
{
    static const QRegularExpression beforeChrist(
        QStringLiteral(R"(^(\d{4,6})(-\d\d-\d\d) \(BC\)(.*)$)"));
    static const QRegularExpression noDigit(QStringLiteral(R"(^(-?)(\.\d+)$)"));
    if (const auto match = beforeChrist.match(text); match.hasMatch()) {
        const QString year = QString::number(match.capturedView(1).toInt() - 1);
        return (year == u"0" ? QString() : QStringLiteral("-")) + year.rightJustified(4, u'0') +
               match.captured(2) + match.captured(3);
    }
    if (const auto match = noDigit.match(text); match.hasMatch())
        return match.captured(1) + u'0' + match.captured(2);
    return text;
}

// Longer texts and bytes may be cut.
bool isWhole(const iceberg::Literal &value)
{
    constexpr qsizetype kSurelyWhole = 100;
    const auto *text = std::get_if<QString>(&value.data);
    const auto *bytes = std::get_if<QByteArray>(&value.data);
    return (!text || text->toUtf8().size() < kSurelyWhole) &&
           (!bytes || bytes->size() < kSurelyWhole);
}

std::optional<iceberg::Literal> valueOf(const Primitive &column, const std::optional<QString> &text)
{
    if (!text)
        return {};
    const bool isString = column.type.id == iceberg::TypeId::String;
    const auto literal = iceberg::literalFromText(column.type, isString ? *text : spelled(*text));
    return literal ? std::optional(*literal) : std::nullopt;
}

// A bound that cannot be told is left out, which is always right.
void setBound(QMap<int, QByteArray> &bounds, const Primitive &column,
              const std::optional<iceberg::Literal> &bound)
{
    if (bound)
        bounds.insert(column.fieldId, iceberg::literalToBytes(column.type, *bound));
}

void setCount(QMap<int, qint64> &counts, int fieldId, const std::optional<QString> &text)
{
    if (const auto count = countOf(text))
        counts.insert(fieldId, *count);
}

void addStatistics(const Primitive &column, const Texts &statistics, WrittenFile &written)
{
    auto &file = written.file;
    const auto of = [&](const char *name) { return statistics.value(QString::fromLatin1(name)); };
    setCount(file.columnSizes, column.fieldId, of("column_size_bytes"));
    setCount(file.valueCounts, column.fieldId, of("num_values"));
    setCount(file.nullValueCounts, column.fieldId, of("null_count"));
    if (of("has_nan") == QStringLiteral("false"))
        file.nanValueCounts.insert(column.fieldId, 0);
    else if (of("has_nan"))
        written.withNaN.append(column.fieldId);
    const auto least = valueOf(column, of("min"));
    const auto greatest = valueOf(column, of("max"));
    if (!least || !greatest)
        return;
    setBound(file.lowerBounds, column, iceberg::lowerBound(column.type, *least));
    setBound(file.upperBounds, column, iceberg::upperBound(column.type, *greatest));
    // The engine takes the two zeros for one.
    const bool isFloat = std::holds_alternative<double>(least->data);
    if (!isFloat && isWhole(*least) && isWhole(*greatest)) {
        written.least.insert(column.fieldId, *least);
        written.greatest.insert(column.fieldId, *greatest);
    }
}

}  // namespace

Result<WrittenFile> writtenFile(const Row &row, const iceberg::Schema &schema)
{
    const auto path = row.size() == ColumnCount ? textOf(row[Filename]) : std::nullopt;
    const auto rows = path ? countOf(row[Count].text()) : std::nullopt;
    const auto size = rows ? countOf(row[FileSize].text()) : std::nullopt;
    if (!size)
        return fail(internalError(QStringLiteral("DuckDB did not say what it wrote")));
    WrittenFile written{.path = *path, .file = {}, .least = {}, .greatest = {}, .withNaN = {}};
    written.file.recordCount = *rows;
    written.file.sizeInBytes = *size;
    QMap<QString, Primitive> primitives;
    addPrimitives(schema.fields, {}, primitives);
    if (const auto *columns = std::get_if<std::vector<Value>>(&row[Statistics].data)) {
        for (size_t i = 0; i + 1 < columns->size(); i += 2) {
            const auto column = primitives.constFind((*columns)[i].text());
            if (column != primitives.cend())
                addStatistics(*column, textsOf((*columns)[i + 1]), written);
        }
    }
    return written;
}

}  // namespace ivm::duckdb
