#include "plugins/executor_duckdb/table/file_stats.h"

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

// Every primitive field by the name that the engine gives it: "a"."element"."b".
void addPrimitives(const QList<iceberg::Field> &fields, const QString &prefix,
                   QMap<QString, Primitive> &found)
{
    for (const auto &field : fields) {
        const QString name = prefix + quotedIdentifier(field.name);
        if (field.type.isNested())
            addPrimitives(field.type.fields, name + u'.', found);
        else
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

// A bound that cannot be told is left out, which is always right.
void setBound(QMap<int, QByteArray> &bounds, const Primitive &column,
              const std::optional<QString> &text)
{
    const auto literal = text ? iceberg::literalFromText(column.type, *text) : fail(Error{});
    if (literal)
        bounds.insert(column.fieldId, iceberg::literalToBytes(column.type, *literal));
}

void setCount(QMap<int, qint64> &counts, int fieldId, const std::optional<QString> &text)
{
    if (const auto count = countOf(text))
        counts.insert(fieldId, *count);
}

void addStatistics(const Primitive &column, const Texts &statistics, iceberg::DataFile &file)
{
    const auto of = [&](const char *name) { return statistics.value(QString::fromLatin1(name)); };
    setCount(file.columnSizes, column.fieldId, of("column_size_bytes"));
    setCount(file.valueCounts, column.fieldId, of("num_values"));
    setCount(file.nullValueCounts, column.fieldId, of("null_count"));
    if (of("has_nan") == QStringLiteral("false"))
        file.nanValueCounts.insert(column.fieldId, 0);
    setBound(file.lowerBounds, column, of("min"));
    setBound(file.upperBounds, column, of("max"));
}

Status addPartition(const Texts &keys, const iceberg::TableMetadata &metadata,
                    iceberg::DataFile &file)
{
    const auto &spec = metadata.defaultSpec();
    file.specId = spec.id;
    for (qsizetype i = 0; i < spec.fields.size(); ++i) {
        const auto &field = spec.fields[i];
        const auto *source = metadata.currentSchema().field(field.sourceId);
        if (!source)
            return fail(internalError(
                QStringLiteral("partition field '%1' has no column").arg(field.name)));
        const auto text = keys.value(partitionColumn(i));
        if (!text) {
            file.partition.append(iceberg::Literal{});
            continue;
        }
        IVM_TRY(const auto type, iceberg::transformedType(field.transform, source->type));
        IVM_TRY(auto literal, iceberg::literalFromText(type, *text));
        file.partition.append(std::move(literal));
    }
    return {};
}

}  // namespace

QString partitionColumn(qsizetype index) { return QStringLiteral("$p%1").arg(index); }

Result<WrittenFile> writtenFile(const Row &row, const iceberg::TableMetadata &metadata)
{
    const auto path = row.size() == ColumnCount ? textOf(row[Filename]) : std::nullopt;
    const auto rows = path ? countOf(row[Count].text()) : std::nullopt;
    const auto size = rows ? countOf(row[FileSize].text()) : std::nullopt;
    if (!size)
        return fail(internalError(QStringLiteral("DuckDB did not say what it wrote")));
    WrittenFile written{.path = *path, .file = {}};
    written.file.recordCount = *rows;
    written.file.sizeInBytes = *size;
    QMap<QString, Primitive> primitives;
    addPrimitives(metadata.currentSchema().fields, {}, primitives);
    if (const auto *columns = std::get_if<std::vector<Value>>(&row[Statistics].data)) {
        for (size_t i = 0; i + 1 < columns->size(); i += 2) {
            const auto column = primitives.constFind((*columns)[i].text());
            if (column != primitives.cend())
                addStatistics(*column, textsOf((*columns)[i + 1]), written.file);
        }
    }
    IVM_CHECK(addPartition(textsOf(row[Keys]), metadata, written.file));
    return written;
}

}  // namespace ivm::duckdb
