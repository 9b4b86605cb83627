#include "framework/refresh/bucket_rows.h"

#include <algorithm>

namespace ivm {

namespace {

// More cells than this, and ranges made of them would hold nearly everything.
constexpr qsizetype kMostCells = 10'000;
// 0001-01-01 to 1970-01-01: counted from there, values of our calendar are positive, and a
// difference that SQL cuts toward zero is cut downward.
constexpr qint64 kDaysToEpoch = 719'162;
constexpr qint64 kMillisToEpoch = kDaysToEpoch * 86'400'000;
constexpr qint64 kMicrosPerMilli = 1000;

const QString kComma = QStringLiteral(", ");

QString pathList(const QList<FileChange> &files)
{
    QStringList paths;
    for (const auto &file : files)
        paths.append(quotedLiteral(file.path));
    return paths.join(kComma);
}

struct Cells {
    RangeSet ranges;
    qint64 records = 0;
    bool tellAll = true;
};

// Reads cells: parts of buckets, each with the lowest and the highest value in it, so that one
// answer tells of thousands of rows.
class CellReader {
public:
    // `name` is what the column is called where it is read from.
    CellReader(const MeasuredColumn &column, QString name, Session &session, const Call &call)
        : m_column(column), m_name(std::move(name)), m_session(session), m_call(call)
    {
    }

    QString select() const
    {
        return QStringLiteral("SELECT %1, %2, count(*)").arg(units(u"min"), units(u"max"));
    }
    QString group() const
    {
        return QStringLiteral(" GROUP BY %1 LIMIT %2").arg(cell()).arg(kMostCells + 1);
    }

    Result<Cells> read(const QString &sql)
    {
        IVM_TRY(const Rows rows, query(m_session, sql, m_call));
        Cells cells;
        cells.tellAll = qsizetype(rows.rows.size()) <= kMostCells;
        for (size_t i = 0; cells.tellAll && i < rows.rows.size(); ++i)
            cells.tellAll = take(rows.rows[i], cells);
        return cells;
    }

private:
    const Type &type() const { return m_column.column.type; }
    bool isDate() const { return type().kind == TypeKind::Date; }

    // A whole number that keeps the order of the values: days, milliseconds, or the value itself.
    QString units(QStringView aggregate) const
    {
        const QString value = QStringLiteral("%1(%2)").arg(aggregate, m_name);
        if (type().isInteger())
            return QStringLiteral("CAST(%1 AS bigint)").arg(value);
        if (isDate())
            return QStringLiteral("date_diff('day', DATE '0001-01-01', %1)").arg(value);
        const bool zoned = type().kind == TypeKind::TimestampWithTimeZone;
        return QStringLiteral("date_diff('millisecond', TIMESTAMP '0001-01-01 00:00:00%1', %2)")
            .arg(zoned ? u" UTC" : u"", value);
    }

    // Values of one cell lie in one bucket or in few neighbours.
    QString cell() const
    {
        const qint64 spread = m_column.function.spread();
        if (type().isInteger())
            return QStringLiteral("%1 / %2").arg(m_name,
                                                 QString::number(std::max<qint64>(spread, 1)));
        for (const auto unit : {BucketUnit::Year, BucketUnit::Month, BucketUnit::Day,
                                BucketUnit::Hour, BucketUnit::Minute, BucketUnit::Second}) {
            const bool isWhole = isDate() && unit == BucketUnit::Day;
            if (isWhole)
                break;
            if (longestBucket(unit) <= spread)
                return QStringLiteral("date_trunc('%1', %2)").arg(bucketUnitName(unit), m_name);
        }
        return isDate() ? m_name : QStringLiteral("date_trunc('millisecond', %1)").arg(m_name);
    }

    bool take(const Row &row, Cells &cells) const
    {
        const auto number = [&row](size_t index) -> const qint64 * {
            return index < row.size() ? std::get_if<qint64>(&row[index].data) : nullptr;
        };
        const qint64 *count = number(2);
        if (!count)
            return false;
        cells.records += *count;
        const qint64 *low = number(0);
        const qint64 *high = number(1);
        if (!low || !high) {
            cells.ranges.addNullBucket();
            return true;
        }
        if (type().isInteger()) {
            cells.ranges.add(m_column.function.bucketsOf(*low, *high));
            return true;
        }
        if (*low <= 0)
            return false;
        cells.ranges.add(isDate() ? m_column.bucketsOf({*low - kDaysToEpoch, *high - kDaysToEpoch})
                                  : m_column.function.bucketsOf(
                                        (*low - kMillisToEpoch) * kMicrosPerMilli,
                                        (*high - kMillisToEpoch + 1) * kMicrosPerMilli - 1));
        return true;
    }

    const MeasuredColumn &m_column;
    const QString m_name;
    Session &m_session;
    const Call &m_call;
};

QString rowsOf(const TableName &table, SnapshotId snapshot, const QList<FileChange> &files)
{
    return QStringLiteral(" FROM %1 FOR VERSION AS OF %2 WHERE \"$path\" IN (%3)")
        .arg(table.quoted(), QString::number(snapshot), pathList(files));
}

// Whether GROUP BY may take two values for one that a view can tell apart: 0 and -0, maps whose
// entries are in another order.
bool mayHideDifferences(const Type &type)
{
    return type.isFloat() || type.is(TypeKind::Map) ||
           std::ranges::any_of(type.fields,
                               [](const auto &field) { return mayHideDifferences(field.type); });
}

// What makes two rows the same for the view: its bucket's column first. Nothing where SQL cannot
// tell.
std::optional<QStringList> comparedColumns(const MeasuredColumn &column,
                                           const ChangesRequest &request,
                                           const TableChanges &changes)
{
    QStringList compared{quotedIdentifier(column.column.name)};
    for (const auto &name : request.columns) {
        const QString quoted = quotedIdentifier(name);
        if (!compared.contains(quoted))
            compared.append(quoted);
        const auto found = std::ranges::find(changes.columns, name, &Column::name);
        if (found == changes.columns.end() || !mayHideDifferences(found->type))
            continue;
        if (!found->type.isFloat())
            return {};
        // Its sign tells 0 from -0.
        compared.append(QStringLiteral("1E0 / ") + quoted);
    }
    return compared;
}

}  // namespace

Result<std::optional<RangeSet>> bucketsOfFiles(const MeasuredColumn &column, SnapshotId snapshot,
                                               const QList<FileChange> &files, Session &session,
                                               const Call &call)
{
    CellReader reader(column, quotedIdentifier(column.column.name), session, call);
    IVM_TRY(const Cells cells,
            reader.read(reader.select() + rowsOf(column.table, snapshot, files) + reader.group()));
    qint64 expected = 0;
    for (const auto &file : files)
        expected += file.records;
    // Fewer rows than the files hold: some are not live at this snapshot, or rows of theirs are
    // deleted.
    return cells.tellAll && cells.records == expected ? std::optional(cells.ranges) : std::nullopt;
}

Result<std::optional<RangeSet>> bucketsOfChangedRows(const MeasuredColumn &column,
                                                     const ChangesRequest &request,
                                                     const TableChanges &changes, Session &session,
                                                     const Call &call)
{
    const auto columns = comparedColumns(column, request, changes);
    if (!columns)
        return std::optional<RangeSet>();
    QList<FileChange> before;
    QList<FileChange> now;
    for (const auto &file : changes.files) {
        if (file.role != FileRole::Added)
            before.append(file);
        if (file.role != FileRole::Removed)
            now.append(file);
    }
    QStringList selected;
    QStringList names;
    for (const auto &expression : *columns) {
        names.append(QStringLiteral("c%1").arg(names.size()));
        selected.append(expression + QStringLiteral(" AS ") + names.last());
    }
    QStringList sides;
    const auto addSide = [&](const QList<FileChange> &side, std::optional<SnapshotId> snapshot,
                             QStringView weight) {
        if (!side.isEmpty() && snapshot)
            sides.append(
                QStringLiteral("SELECT %1, %2 AS weight").arg(selected.join(kComma), weight) +
                rowsOf(column.table, *snapshot, side));
    };
    addSide(now, request.to.snapshot, u"1");
    addSide(before, request.from.snapshot, u"-1");
    CellReader reader(column, names.front(), session, call);
    const QString changed =
        QStringLiteral(" FROM (\nSELECT c0 FROM (\n") + sides.join(QStringLiteral("\nUNION ALL ")) +
        QStringLiteral("\n) GROUP BY %1 HAVING sum(weight) <> 0\n)").arg(names.join(kComma));
    IVM_TRY(const Cells cells, reader.read(reader.select() + changed + reader.group()));
    return cells.tellAll ? std::optional(cells.ranges) : std::nullopt;
}

}  // namespace ivm
