#include "framework/refresh/measure.h"

#include "framework/base/log.h"
#include "framework/refresh/bucket_rows.h"

#include <algorithm>
#include <limits>

namespace ivm {

namespace {

// A statement must stay of a size that every engine takes.
constexpr qsizetype kMostFilesToRead = 500;
constexpr qint64 kMostRowsToRead = 1'000'000;
// Ranges of so few buckets are recomputed without another look.
constexpr double kFewBuckets = 4;
// An added file is read when at most so many of the buckets it spans can have a row.
constexpr double kSparse = 0.25;
// Telling rows apart costs more than recomputing them: worth it for at most so large a part of what
// the ranges hold.
constexpr double kWorthReading = 0.4;

class Measurer {
public:
    Measurer(const MeasureInput &input, const Call &call) : m_input(input), m_call(call) {}

    Result<RangeSet> run()
    {
        for (const auto &file : m_input.changes.files)
            takeBounds(file);
        if (mayTellRowsApart()) {
            IVM_TRY(const auto exact, rowsThatDiffer());
            if (exact)
                return *exact;
        }
        IVM_CHECK(readSparse(m_sparse, Otherwise::Bounds));
        if (!m_unknown.isEmpty())
            qCInfo(logRefresh, "%s: changed files that tell no bounds of '%s' are read: %lld",
                   qPrintable(m_input.column.table.text()), qPrintable(m_input.column.column.name),
                   qlonglong(m_unknown.size()));
        IVM_CHECK(readSparse(m_unknown, Otherwise::Everything));
        return m_ranges;
    }

private:
    // What stands for files whose rows cannot be told.
    enum class Otherwise { Bounds, Everything };

    double bucketsIn(const BucketRange &range) const
    {
        const auto spread = double(std::max<qint64>(m_input.column.function.spread(), 1));
        return range.from && range.to ? (double(*range.to) - double(*range.from)) / spread
                                      : std::numeric_limits<double>::infinity();
    }

    void takeBounds(const FileChange &file)
    {
        const FileBounds &bounds = file.bounds;
        if (bounds.nullState != NullState::Never)
            m_ranges.addNullBucket();
        if (bounds.nullState == NullState::Always)
            return;
        if (!bounds.lower || !bounds.upper) {
            m_unknown.append(file);
            return;
        }
        const auto range = m_input.column.bucketsOf(bounds);
        // One row touches one bucket: most of a wide file's are not touched by its few rows.
        const bool isSparse = file.role == FileRole::Added &&
                              double(file.records) < kSparse * bucketsIn(range) &&
                              bucketsIn(range) > kFewBuckets;
        if (isSparse)
            m_sparse.append(file);
        else
            m_ranges.add(range);
    }

    bool mayTellRowsApart() const
    {
        const auto &files = m_input.changes.files;
        const bool onlyAdded = std::ranges::all_of(
            files, [](const FileChange &file) { return file.role == FileRole::Added; });
        if (onlyAdded || !m_input.pinnableBefore || !m_input.pinnableNow ||
            !m_input.changes.complete || files.size() > kMostFilesToRead)
            return false;
        double buckets = m_unknown.isEmpty() ? 0 : std::numeric_limits<double>::infinity();
        for (const auto &range : m_ranges.ranges())
            buckets += bucketsIn(range);
        return buckets > kFewBuckets;
    }

    // The buckets of rows that are really other ones, where finding out is worth it.
    Result<std::optional<RangeSet>> rowsThatDiffer()
    {
        qint64 toRead = 0;
        for (const auto &file : m_input.changes.files)
            toRead += file.role == FileRole::DeletedFrom ? 2 * file.records : file.records;
        const LiveFilesRequest request{.table = m_input.column.table,
                                       .at = m_input.request.to,
                                       .column = m_input.column.column,
                                       .within = changedBounds()};
        IVM_TRY(const FileTotals touched, m_input.detector.liveFiles(request, m_call));
        if (double(toRead) > kWorthReading * double(touched.records))
            return std::optional<RangeSet>();
        IVM_TRY(Session * session, m_input.session());
        auto ranges = bucketsOfChangedRows(m_input.column, m_input.request, m_input.changes,
                                           *session, m_call);
        return orNothing(std::move(ranges));
    }

    QList<FileBounds> changedBounds() const
    {
        QList<FileBounds> bounds;
        for (const auto &file : m_input.changes.files) {
            if (file.bounds.nullState != NullState::Always)
                bounds.append(file.bounds);
        }
        return bounds;
    }

    Status readSparse(const QList<FileChange> &files, Otherwise otherwise)
    {
        QList<FileChange> now;
        QList<FileChange> before;
        for (const auto &file : files)
            (file.role == FileRole::Removed ? before : now).append(file);
        const auto &from = m_input.request.from;
        const auto &to = m_input.request.to;
        IVM_CHECK(readAt(m_input.pinnableNow ? to.snapshot : std::nullopt, now, otherwise));
        return readAt(m_input.pinnableBefore ? from.snapshot : std::nullopt, before, otherwise);
    }

    // Without a snapshot that can be read: as if they could not be told.
    Status readAt(const std::optional<SnapshotId> &snapshot, const QList<FileChange> &files,
                  Otherwise otherwise)
    {
        if (files.isEmpty())
            return {};
        std::optional<RangeSet> read;
        if (snapshot && isReadable(files)) {
            IVM_TRY(Session * session, m_input.session());
            IVM_TRY(read,
                    orNothing(bucketsOfFiles(m_input.column, *snapshot, files, *session, m_call)));
        }
        if (read)
            m_ranges.add(*read);
        else if (otherwise == Otherwise::Everything)
            m_ranges.addEverything();
        else
            for (const auto &file : files)
                m_ranges.add(m_input.column.bucketsOf(file.bounds));
        return {};
    }

    static bool isReadable(const QList<FileChange> &files)
    {
        qint64 rows = 0;
        for (const auto &file : files)
            rows += file.records;
        return files.size() <= kMostFilesToRead && rows <= kMostRowsToRead;
    }

    // A statement that the engine refuses (a snapshot that had no such column yet) tells nothing,
    // and does no harm.
    static Result<std::optional<RangeSet>> orNothing(Result<std::optional<RangeSet>> ranges)
    {
        if (ranges)
            return ranges;
        switch (ranges.error().kind) {
        case ErrorKind::Invalid:
        case ErrorKind::NotFound:
        case ErrorKind::Unsupported: return std::optional<RangeSet>();
        default: return ranges;
        }
    }

    const MeasureInput &m_input;
    const Call &m_call;
    RangeSet m_ranges;
    QList<FileChange> m_sparse;   // their bounds are wide for what they hold
    QList<FileChange> m_unknown;  // without bounds
};

}  // namespace

Result<RangeSet> measureRanges(const MeasureInput &input, const Call &call)
{
    return Measurer(input, call).run();
}

Result<RangeSet> MeasuredRanges::of(const MeasureInput &input, const Call &call)
{
    const Question question{.column = input.column,
                            .from = input.request.from,
                            .to = input.request.to,
                            .columns = input.request.columns,
                            .pinnableBefore = input.pinnableBefore,
                            .pinnableNow = input.pinnableNow};
    return m_measured.get(question, [&] { return measureRanges(input, call); });
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
