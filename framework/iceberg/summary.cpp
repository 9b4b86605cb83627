#include "framework/iceberg/summary.h"

#include <QSet>

#include <utility>

namespace ivm::iceberg {

namespace {

struct Counts {
    qint64 dataFiles = 0;
    qint64 records = 0;
    qint64 bytes = 0;
    qint64 positionFiles = 0;
    qint64 positions = 0;
    qint64 equalityFiles = 0;
    qint64 equalities = 0;
};

Counts countsOf(const QList<DataFile> &files)
{
    Counts counts;
    for (const auto &file : files) {
        counts.bytes += file.sizeInBytes;
        switch (file.content) {
        case FileContent::Data:
            ++counts.dataFiles;
            counts.records += file.recordCount;
            break;
        case FileContent::PositionDeletes:
            ++counts.positionFiles;
            counts.positions += file.recordCount;
            break;
        case FileContent::EqualityDeletes:
            ++counts.equalityFiles;
            counts.equalities += file.recordCount;
            break;
        }
    }
    return counts;
}

qsizetype changedPartitions(const QList<DataFile> &added, const QList<DataFile> &removed)
{
    QSet<std::pair<int, QList<Literal>>> partitions;
    for (const auto &files : {added, removed}) {
        for (const auto &file : files)
            partitions.insert({file.specId, file.partition});
    }
    return partitions.size();
}

class SummaryMaker {
public:
    explicit SummaryMaker(const Snapshot *parent) : m_parent(parent) {}

    QMap<QString, QString> out;

    void changed(const char *key, qint64 count)
    {
        if (count != 0)
            out.insert(QString::fromLatin1(key), QString::number(count));
    }

    // Left out where the parent does not tell its own.
    void total(const char *key, qint64 added, qint64 removed)
    {
        const QString name = QString::fromLatin1(key);
        bool ok = true;
        const qint64 before = m_parent ? m_parent->summary.value(name).toLongLong(&ok) : 0;
        if (ok && before + added - removed >= 0)
            out.insert(name, QString::number(before + added - removed));
    }

private:
    const Snapshot *m_parent;
};

}  // namespace

QString operationName(Operation operation)
{
    switch (operation) {
    case Operation::Append: return QStringLiteral("append");
    case Operation::Overwrite: return QStringLiteral("overwrite");
    case Operation::Delete: return QStringLiteral("delete");
    case Operation::Replace: return QStringLiteral("replace");
    }
    Q_UNREACHABLE();
}

QMap<QString, QString> makeSummary(const SnapshotChange &change, const QList<DataFile> &removed,
                                   const Snapshot *parent)
{
    const Counts plus = countsOf(change.added);
    const Counts minus = countsOf(removed);
    SummaryMaker summary(parent);
    summary.out = change.summary;
    summary.out.insert(QStringLiteral("operation"), operationName(change.operation));
    summary.changed("added-data-files", plus.dataFiles);
    summary.changed("added-records", plus.records);
    summary.changed("added-files-size", plus.bytes);
    summary.changed("deleted-data-files", minus.dataFiles);
    summary.changed("deleted-records", minus.records);
    summary.changed("removed-files-size", minus.bytes);
    summary.changed("added-delete-files", plus.positionFiles + plus.equalityFiles);
    summary.changed("added-position-delete-files", plus.positionFiles);
    summary.changed("added-position-deletes", plus.positions);
    summary.changed("added-equality-delete-files", plus.equalityFiles);
    summary.changed("added-equality-deletes", plus.equalities);
    summary.changed("removed-delete-files", minus.positionFiles + minus.equalityFiles);
    summary.changed("removed-position-delete-files", minus.positionFiles);
    summary.changed("removed-position-deletes", minus.positions);
    summary.changed("removed-equality-delete-files", minus.equalityFiles);
    summary.changed("removed-equality-deletes", minus.equalities);
    summary.total("total-data-files", plus.dataFiles, minus.dataFiles);
    summary.total("total-records", plus.records, minus.records);
    summary.total("total-files-size", plus.bytes, minus.bytes);
    summary.total("total-delete-files", plus.positionFiles + plus.equalityFiles,
                  minus.positionFiles + minus.equalityFiles);
    summary.total("total-position-deletes", plus.positions, minus.positions);
    summary.total("total-equality-deletes", plus.equalities, minus.equalities);
    summary.out.insert(QStringLiteral("changed-partition-count"),
                       QString::number(changedPartitions(change.added, removed)));
    return summary.out;
}

}  // namespace ivm::iceberg
