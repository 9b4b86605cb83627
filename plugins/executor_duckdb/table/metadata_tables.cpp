#include "plugins/executor_duckdb/table/metadata_tables.h"

#include "framework/iceberg/scan.h"
#include "plugins/executor_duckdb/engine/spelling.h"

#include <QSet>
#include <QUuid>

namespace ivm::duckdb {

namespace {

constexpr QStringView kSnapshots = u"snapshots";
constexpr QStringView kRefs = u"refs";
constexpr QStringView kHistory = u"history";
constexpr QStringView kFiles = u"files";
constexpr QStringView kMetadataLog = u"metadata_log_entries";

const Type kVarchar{.kind = TypeKind::Varchar};
const Type kBigint{.kind = TypeKind::Bigint};
const Type kInteger{.kind = TypeKind::Integer};
const Type kBoolean{.kind = TypeKind::Boolean};
// Trino has three digits; six is what every timestamp of this engine has.
const Type kTime{.kind = TypeKind::TimestampWithTimeZone, .precision = 6};

Type mapOf(const Type &key, const Type &value)
{
    return {.kind = TypeKind::Map, .fields = {{{}, key}, {{}, value}}};
}

QString text(const QString &value) { return quotedLiteral(value); }

QString number(qint64 value) { return QString::number(value); }

QString optional(const std::optional<qint64> &value)
{
    return value ? number(*value) : QStringLiteral("NULL");
}

QString fromJson(const QJsonValue &value)
{
    return value.isDouble() ? number(value.toInteger()) : QStringLiteral("NULL");
}

QString time(qint64 milliseconds)
{
    return QStringLiteral("make_timestamptz(%1::BIGINT * 1000)").arg(milliseconds);
}

QString map(const QMap<QString, QString> &entries)
{
    QStringList parts;
    for (const auto &[key, value] : entries.asKeyValueRange())
        parts.append(text(key) + QStringLiteral(": ") + text(value));
    return QStringLiteral("MAP {%1}").arg(parts.join(QStringLiteral(", ")));
}

QString map(const QMap<int, qint64> &entries)
{
    QStringList parts;
    for (const auto &[key, value] : entries.asKeyValueRange())
        parts.append(number(key) + QStringLiteral(": ") + number(value));
    return QStringLiteral("MAP {%1}").arg(parts.join(QStringLiteral(", ")));
}

Int128 unscaled(const QByteArray &bigEndian)
{
    Int128 value = !bigEndian.isEmpty() && bigEndian[0] < 0 ? -1 : 0;
    for (const char byte : bigEndian)
        value = value * 256 + static_cast<unsigned char>(byte);
    return value;
}

QString timestampBound(qint64 micros, QStringView zone)
{
    constexpr qint64 kPerSecond = 1'000'000;
    return timestampText(micros, kPerSecond, 6).replace(u' ', u'T') + zone;
}

// As people read it, like Trino.
QString boundText(const iceberg::FieldType &type, const iceberg::Literal &literal)
{
    const auto *number = std::get_if<qint64>(&literal.data);
    const auto *bytes = std::get_if<QByteArray>(&literal.data);
    if (number && type.id == iceberg::TypeId::Date)
        return dateText(*number);
    if (number && type.id == iceberg::TypeId::Timestamp)
        return timestampBound(*number, u"");
    if (number && type.id == iceberg::TypeId::Timestamptz)
        return timestampBound(*number, u"+00:00");
    if (bytes && type.id == iceberg::TypeId::Decimal)
        return decimalText(unscaled(*bytes), type.scale);
    if (bytes && type.id == iceberg::TypeId::Uuid)
        return QUuid::fromRfc4122(*bytes).toString(QUuid::WithoutBraces);
    return literal.text();
}

// By field id.
QString bounds(const QMap<int, QByteArray> &bytes, const iceberg::TableMetadata &metadata)
{
    QStringList parts;
    for (const auto &[id, bound] : bytes.asKeyValueRange()) {
        const auto *field = metadata.field(id);
        const auto literal = field ? iceberg::literalFromBytes(field->type, bound) : fail(Error{});
        if (literal)
            parts.append(number(id) + QStringLiteral(": ") +
                         text(boundText(field->type, *literal)));
    }
    return QStringLiteral("MAP {%1}").arg(parts.join(QStringLiteral(", ")));
}

// A relation of constants; each value is cast, so NULLs and empty maps have types.
class Constants {
public:
    explicit Constants(QList<Column> columns) : m_columns(std::move(columns)) {}

    void add(const QStringList &row) { m_rows.append(row); }

    Result<BoundRelation> relation() const
    {
        QStringList casts;
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            IVM_TRY(const QString type, duckdbType(m_columns[i].type));
            casts.append(
                QStringLiteral("CAST(%1 AS %2) AS %3")
                    .arg(m_rows.isEmpty() ? QStringLiteral("NULL") : QStringLiteral("v%1").arg(i),
                         type, quotedIdentifier(m_columns[i].name)));
        }
        const QString select = QStringLiteral("(SELECT ") + casts.join(QStringLiteral(", "));
        const QString sql = m_rows.isEmpty()
                                ? QString(select + QStringLiteral(" WHERE false)"))
                                : QStringLiteral("%1 FROM (VALUES %2))").arg(select, values());
        return BoundRelation{.name = {}, .columns = m_columns, .sql = sql};
    }

private:
    QString values() const
    {
        QStringList rows;
        for (const auto &row : m_rows)
            rows.append(u'(' + row.join(QStringLiteral(", ")) + u')');
        QStringList names;
        for (qsizetype i = 0; i < m_columns.size(); ++i)
            names.append(QStringLiteral("v%1").arg(i));
        return rows.join(QStringLiteral(", ")) + QStringLiteral(") AS c(") +
               names.join(QStringLiteral(", "));
    }

    QList<Column> m_columns;
    QList<QStringList> m_rows;
};

Column column(const char *name, const Type &type)
{
    return {.name = QString::fromLatin1(name), .type = type};
}

Constants snapshots(const iceberg::TableMetadata &metadata)
{
    Constants out({column("committed_at", kTime), column("snapshot_id", kBigint),
                   column("parent_id", kBigint), column("operation", kVarchar),
                   column("manifest_list", kVarchar),
                   column("summary", mapOf(kVarchar, kVarchar))});
    for (const auto &snapshot : metadata.snapshots) {
        auto summary = snapshot.summary;
        summary.remove(QStringLiteral("operation"));
        out.add({time(snapshot.timestampMs), number(snapshot.id), optional(snapshot.parent),
                 text(snapshot.operation()), text(snapshot.manifestList), map(summary)});
    }
    return out;
}

Constants refs(const iceberg::TableMetadata &metadata)
{
    Constants out({column("name", kVarchar), column("type", kVarchar),
                   column("snapshot_id", kBigint), column("max_reference_age_in_ms", kBigint),
                   column("min_snapshots_to_keep", kInteger),
                   column("max_snapshot_age_in_ms", kBigint)});
    const auto add = [&](const QString &name, const iceberg::SnapshotRef &ref) {
        out.add({text(name),
                 ref.isTag ? text(QStringLiteral("TAG")) : text(QStringLiteral("BRANCH")),
                 number(ref.snapshot), fromJson(ref.other.value(u"max-ref-age-ms")),
                 fromJson(ref.other.value(u"min-snapshots-to-keep")),
                 fromJson(ref.other.value(u"max-snapshot-age-ms"))});
    };
    for (const auto &[name, ref] : metadata.refs.asKeyValueRange())
        add(name, ref);
    if (const QString main = QString::fromUtf16(iceberg::kMainBranch);
        metadata.currentSnapshotId && !metadata.refs.contains(main))
        add(main, {.snapshot = *metadata.currentSnapshotId});
    return out;
}

QSet<SnapshotId> ancestorsOfHead(const iceberg::TableMetadata &metadata)
{
    QSet<SnapshotId> ancestors;
    for (const auto *at = metadata.currentSnapshot(); at && !ancestors.contains(at->id);
         at = at->parent ? metadata.snapshot(*at->parent) : nullptr)
        ancestors.insert(at->id);
    return ancestors;
}

Constants history(const iceberg::TableMetadata &metadata)
{
    Constants out({column("made_current_at", kTime), column("snapshot_id", kBigint),
                   column("parent_id", kBigint), column("is_current_ancestor", kBoolean)});
    const auto ancestors = ancestorsOfHead(metadata);
    for (const auto &entry : metadata.snapshotLog) {
        const auto *snapshot = metadata.snapshot(entry.snapshot);
        out.add({time(entry.timestampMs), number(entry.snapshot),
                 optional(snapshot ? snapshot->parent : std::nullopt),
                 ancestors.contains(entry.snapshot) ? QStringLiteral("true")
                                                    : QStringLiteral("false")});
    }
    return out;
}

// The head of main at a time, as far as the table remembers.
std::optional<SnapshotId> headAt(const iceberg::TableMetadata &metadata, qint64 timestampMs)
{
    std::optional<SnapshotId> head;
    for (const auto &entry : metadata.snapshotLog) {
        if (entry.timestampMs <= timestampMs)
            head = entry.snapshot;
    }
    return head;
}

// The table's metadata files, the newest included.
Constants metadataLog(const iceberg::Table &table)
{
    Constants out({column("timestamp", kTime), column("file", kVarchar),
                   column("latest_snapshot_id", kBigint)});
    const auto add = [&](qint64 timestampMs, const QString &file) {
        out.add({time(timestampMs), text(file), optional(headAt(table.metadata, timestampMs))});
    };
    for (const auto &entry : table.metadata.metadataLog)
        add(entry.timestampMs, entry.location);
    add(table.metadata.lastUpdatedMs, table.metadataLocation);
    return out;
}

Result<Constants> files(const iceberg::TableMetadata &metadata, iceberg::FileIO &io,
                        const Call &call)
{
    Constants out({column("content", kInteger), column("file_path", kVarchar),
                   column("file_format", kVarchar), column("spec_id", kInteger),
                   column("record_count", kBigint), column("file_size_in_bytes", kBigint),
                   column("column_sizes", mapOf(kInteger, kBigint)),
                   column("value_counts", mapOf(kInteger, kBigint)),
                   column("null_value_counts", mapOf(kInteger, kBigint)),
                   column("nan_value_counts", mapOf(kInteger, kBigint)),
                   column("lower_bounds", mapOf(kInteger, kVarchar)),
                   column("upper_bounds", mapOf(kInteger, kVarchar))});
    const auto *head = metadata.currentSnapshot();
    if (!head)
        return out;
    IVM_TRY(const auto live, iceberg::liveFiles(io, metadata, *head, {}, call));
    for (const auto *list : {&live.data, &live.deletes}) {
        for (const auto &entry : *list) {
            const auto &file = entry.file;
            out.add({number(qint64(file.content)), text(file.path), text(file.format),
                     number(file.specId), number(file.recordCount), number(file.sizeInBytes),
                     map(file.columnSizes), map(file.valueCounts), map(file.nullValueCounts),
                     map(file.nanValueCounts), bounds(file.lowerBounds, metadata),
                     bounds(file.upperBounds, metadata)});
        }
    }
    return out;
}

}  // namespace

std::optional<MetadataTableName> metadataTableName(const QString &name)
{
    const qsizetype at = name.lastIndexOf(u'$');
    if (at <= 0)
        return {};
    const QString suffix = name.mid(at + 1).toLower();
    for (const QStringView known : {kSnapshots, kRefs, kHistory, kFiles, kMetadataLog}) {
        if (suffix == known)
            return MetadataTableName{name.left(at), suffix};
    }
    return {};
}

Result<BoundRelation> metadataRelation(const iceberg::Table &table, const QString &suffix,
                                       iceberg::FileIO &io, const Call &call)
{
    BoundRelation relation;
    if (suffix == kFiles) {
        IVM_TRY(const Constants constants, files(table.metadata, io, call));
        IVM_TRY(relation, constants.relation());
    } else {
        const Constants constants = suffix == kSnapshots     ? snapshots(table.metadata)
                                    : suffix == kRefs        ? refs(table.metadata)
                                    : suffix == kMetadataLog ? metadataLog(table)
                                                             : history(table.metadata);
        IVM_TRY(relation, constants.relation());
    }
    relation.name = table.name;
    relation.name.table += u'$' + suffix;
    return relation;
}

}  // namespace ivm::duckdb
