#include "tests/fuzz/iceberg_seeds.h"
#include "tests/fuzz/target.h"

namespace ivm::fuzz {

using namespace iceberg;

QString targetName() { return QStringLiteral("manifest"); }

int usualInputs() { return 30'000; }

QList<QByteArray> seeds()
{
    QList<QByteArray> seeds;
    for (const int files : {0, 1, 3, 9}) {
        seeds.append(fuzzManifest(files).bytes);
        seeds.append(unpacked(seeds.last()));
    }
    return seeds;
}

QList<QByteArray> words() { return avroWords(); }

// What is read is written, and read again the same.
QString complaint(const QByteArray &input)
{
    const ManifestFile line{.path = QStringLiteral("file:///t/metadata/m.avro"),
                            .length = input.size(),
                            .sequenceNumber = 5,
                            .minSequenceNumber = 5,
                            .addedSnapshotId = 77};
    const auto entries = readManifest(input, line, fuzzTable());
    if (!entries)
        return wrongError(entries.error());
    const auto written = writeManifest({.path = line.path,
                                        .content = line.content,
                                        .entries = *entries,
                                        .snapshotId = 77,
                                        .sequenceNumber = 5},
                                       fuzzTable());
    if (!written)
        return QStringLiteral("what was read cannot be written: ") + written.error().text();
    const auto again = readManifest(written->bytes, written->manifest, fuzzTable());
    if (!again)
        return again.error().text();
    if (again->size() != entries->size())
        return QStringLiteral("%1 entries became %2").arg(entries->size()).arg(again->size());
    for (size_t i = 0; i < entries->size(); ++i) {
        if ((*again)[i].file.path != (*entries)[i].file.path ||
            (*again)[i].file.lowerBounds != (*entries)[i].file.lowerBounds ||
            (*again)[i].file.partition.size() != (*entries)[i].file.partition.size() ||
            (*again)[i].status != (*entries)[i].status)
            return QStringLiteral("entry %1 became another").arg(i);
    }
    return {};
}

}  // namespace ivm::fuzz
