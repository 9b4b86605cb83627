#include "tests/fuzz/iceberg_seeds.h"
#include "tests/fuzz/target.h"

namespace ivm::fuzz {

QString targetName() { return QStringLiteral("metadata"); }

int usualInputs() { return 30'000; }

QList<QByteArray> seeds() { return metadataSeeds(); }

QList<QByteArray> words()
{
    QList<QByteArray> words;
    for (const char *word : {"{",
                             "}",
                             "[",
                             "]",
                             ",",
                             ":",
                             "\"",
                             "null",
                             "-1",
                             "0",
                             "9223372036854775808",
                             "1e5",
                             "\"id\"",
                             "\"type\"",
                             "\"struct\"",
                             "\"fields\"",
                             "\"list\"",
                             "\"element-id\"",
                             "\"decimal(38, 38)\"",
                             "\"fixed[0]\"",
                             "\"timestamptz_ns\"",
                             "\"bucket[0]\"",
                             "\"truncate[-1]\"",
                             "\"void\"",
                             "\"schemas\":[]",
                             "\"format-version\":3",
                             "\"snapshots\":[{}]",
                             "\"refs\":{}",
                             "\\u0000"})
        words.append(word);
    return words;
}

// What is read is written so that the same is read again.
QString complaint(const QByteArray &input)
{
    const auto metadata = iceberg::metadataFromJson(input, u"the input");
    if (!metadata)
        return wrongError(metadata.error());
    const QByteArray once = iceberg::metadataToJson(*metadata);
    const auto again = iceberg::metadataFromJson(once, u"what was written");
    if (!again)
        return again.error().text();
    const QByteArray twice = iceberg::metadataToJson(*again);
    return once == twice ? QString()
                         : QStringLiteral("written as %1, then as %2")
                               .arg(QString::fromUtf8(once), QString::fromUtf8(twice));
}

}  // namespace ivm::fuzz
