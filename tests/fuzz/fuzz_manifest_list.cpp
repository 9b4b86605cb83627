#include "tests/fuzz/iceberg_seeds.h"
#include "tests/fuzz/target.h"

namespace ivm::fuzz {

using namespace iceberg;

namespace {

// Counts that version 1 left out are written as 0: whoever carries such a line on counts before.
QList<ManifestFile> counted(QList<ManifestFile> lines)
{
    for (auto &line : lines) {
        for (int *count : {&line.addedFiles, &line.existingFiles, &line.deletedFiles})
            *count = std::max(*count, 0);
        for (qint64 *count : {&line.addedRows, &line.existingRows, &line.deletedRows})
            *count = std::max<qint64>(*count, 0);
    }
    return lines;
}

}  // namespace

QString targetName() { return QStringLiteral("manifest_list"); }

int usualInputs() { return 50'000; }

QList<QByteArray> seeds()
{
    QList<QByteArray> seeds;
    for (const int files : {0, 1, 4}) {
        QList<ManifestFile> lines;
        for (int i = 0; i < files; ++i)
            lines.append(fuzzManifest(i).manifest);
        const auto list =
            writeManifestList(lines, {.id = 77, .sequenceNumber = 5, .manifestList = {}});
        if (!list)
            qFatal("%s", qPrintable(list.error().text()));
        seeds.append(*list);
        seeds.append(unpacked(*list));
    }
    return seeds;
}

QList<QByteArray> words() { return avroWords(); }

// What is read is written, and read again the same.
QString complaint(const QByteArray &input)
{
    const auto lines = readManifestList(input, u"the input");
    if (!lines)
        return wrongError(lines.error());
    const auto written =
        writeManifestList(*lines, {.id = 77, .sequenceNumber = 5, .manifestList = {}});
    if (!written)
        return QStringLiteral("what was read cannot be written: ") + written.error().text();
    const auto again = readManifestList(*written, u"what was written");
    if (!again)
        return again.error().text();
    return *again == counted(*lines) ? QString()
                                     : QStringLiteral("what was read is not what was written");
}

}  // namespace ivm::fuzz
