#include "framework/refresh/measure.h"

#include <QDate>

namespace ivm {

namespace {

// A statement must stay of a size that every engine takes.
constexpr qsizetype kMostFilesToRead = 500;

BucketRange rangeOf(const MeasuredColumn &column, qint64 lower, qint64 upper)
{
    return column.function.bucketsOf(microsFromColumnUnit(column.type, lower),
                                     microsFromColumnUnit(column.type, upper));
}

// Adds what the metadata tells; false when it does not tell enough.
bool addKnown(const MeasuredColumn &column, const FileBounds &bounds, RangeSet &ranges)
{
    if (bounds.nullState != NullState::Never)
        ranges.addNullBucket();
    if (bounds.nullState == NullState::Always)
        return true;
    if (!bounds.lower || !bounds.upper)
        return false;
    ranges.add(rangeOf(column, *bounds.lower, *bounds.upper));
    return true;
}

std::optional<qint64> daysOf(const Value &date)
{
    const auto *text = std::get_if<QString>(&date.data);
    const QDate day = text ? QDate::fromString(*text, Qt::ISODate) : QDate();
    if (!day.isValid())
        return {};
    return QDate(1970, 1, 1).daysTo(day);
}

// Reads which buckets the files hold at one snapshot, and checks that the files were all there.
class FileReader {
public:
    FileReader(const MeasuredColumn &column, Session &session, const Call &call)
        : m_column(column), m_session(session), m_call(call)
    {
    }

    Status read(const QList<FileChange> &files, SnapshotId snapshot, RangeSet &ranges)
    {
        qint64 expected = 0;
        QStringList paths;
        for (const auto &file : files) {
            expected += file.records;
            paths.append(quotedLiteral(file.path));
        }
        const QString sql = QStringLiteral("SELECT %1, %2, count(%3), count(*) "
                                           "FROM %4 FOR VERSION AS OF %5 WHERE \"$path\" IN (%6)")
                                .arg(bound(u"min"), bound(u"max"),
                                     quotedIdentifier(m_column.column), m_column.table.quoted(),
                                     QString::number(snapshot), paths.join(QStringLiteral(", ")));
        IVM_TRY(const Rows rows, query(m_session, sql, m_call));
        return take(rows, expected, ranges);
    }

private:
    // Whole days are enough of a time: they only widen what is recomputed.
    QString bound(QStringView aggregate) const
    {
        const QString value =
            aggregate + QStringLiteral("(%1)").arg(quotedIdentifier(m_column.column));
        return QStringLiteral("CAST(%1 AS %2)")
            .arg(value, m_column.type.isInteger() ? u"bigint" : u"date");
    }

    Status take(const Rows &rows, qint64 expected, RangeSet &ranges) const
    {
        if (rows.rows.size() != 1 || rows.rows.front().size() != 4)
            return fail(
                internalError(QStringLiteral("reading the bounds of files in %1 gave no row")
                                  .arg(m_column.table.text())));
        const Row &row = rows.rows.front();
        const auto *filled = std::get_if<qint64>(&row[2].data);
        const auto *all = std::get_if<qint64>(&row[3].data);
        // Fewer rows than the files hold: some are not live at this snapshot, or rows of theirs are
        // deleted.
        if (!filled || !all || *all != expected) {
            ranges.addEverything();
            return {};
        }
        if (*filled < *all)
            ranges.addNullBucket();
        if (*filled == 0)
            return {};
        const auto first = valueOf(row[0]);
        const auto last = valueOf(row[1]);
        if (first && last)
            ranges.add(m_column.function.bucketsOf(*first, endOf(*last)));
        else
            ranges.addEverything();
        return {};
    }

    std::optional<qint64> valueOf(const Value &value) const
    {
        if (const auto *number = std::get_if<qint64>(&value.data); m_column.type.isInteger())
            return number ? std::optional(*number) : std::nullopt;
        const auto days = daysOf(value);
        return days ? std::optional(microsFromColumnUnit({.kind = TypeKind::Date}, *days))
                    : std::nullopt;
    }

    // The last instant of the day that a time lies in.
    qint64 endOf(qint64 value) const
    {
        return m_column.type.isInteger() ? value : nextBucketStart(BucketUnit::Day, value) - 1;
    }

    const MeasuredColumn &m_column;
    Session &m_session;
    const Call &m_call;
};

}  // namespace

Result<RangeSet> measureRanges(const MeasuredColumn &column, const ChangesRequest &request,
                               const TableChanges &changes,
                               const std::function<Result<Session *>()> &session, const Call &call)
{
    RangeSet ranges;
    QList<FileChange> unknownNow;
    QList<FileChange> unknownBefore;
    for (const auto &file : changes.files) {
        if (!addKnown(column, file.bounds, ranges))
            (file.role == FileRole::Removed ? unknownBefore : unknownNow).append(file);
    }
    if (unknownNow.isEmpty() && unknownBefore.isEmpty())
        return ranges;
    const bool tooMany = unknownNow.size() + unknownBefore.size() > kMostFilesToRead;
    const bool noSnapshot = (!unknownNow.isEmpty() && !request.to.snapshot) ||
                            (!unknownBefore.isEmpty() && !request.from.snapshot);
    if (tooMany || noSnapshot) {
        ranges.addEverything();
        return ranges;
    }
    IVM_TRY(Session * open, session());
    FileReader reader(column, *open, call);
    if (!unknownNow.isEmpty())
        IVM_CHECK(reader.read(unknownNow, *request.to.snapshot, ranges));
    if (!unknownBefore.isEmpty())
        IVM_CHECK(reader.read(unknownBefore, *request.from.snapshot, ranges));
    return ranges;
}

FileCounts countFiles(const TableChanges &changes)
{
    FileCounts counts;
    for (const auto &file : changes.files) {
        switch (file.role) {
        case FileRole::Added: ++counts.added; break;
        case FileRole::Removed: ++counts.removed; break;
        case FileRole::DeletedFrom: ++counts.deletedFrom; break;
        }
        counts.records += file.records;
        counts.bytes += file.bytes;
    }
    return counts;
}

}  // namespace ivm
