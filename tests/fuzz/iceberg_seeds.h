// Table metadata out of the golden folder, and files that are written for a table like it.
//
// One thread.
#pragma once

#include "framework/iceberg/avro.h"
#include "framework/iceberg/manifest.h"
#include "tests/fuzz/golden_seeds.h"

#include <QJsonDocument>

namespace ivm::fuzz {

inline QByteArray baseMetadata()
{
    QFile file(QStringLiteral(IVM_SOURCE_DIR "/tests/golden/iceberg_metadata/base.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(file.fileName()));
    return file.readAll();
}

// The base file with members of its cases in place of its own.
inline QList<QByteArray> metadataSeeds()
{
    const QByteArray base = baseMetadata();
    QList<QByteArray> seeds{base};
    for (const auto &patch : goldenSeeds(QStringLiteral("iceberg_metadata"))) {
        QJsonObject members = QJsonDocument::fromJson(base).object();
        const QJsonObject others = QJsonDocument::fromJson(patch).object();
        for (auto other = others.begin(); other != others.end(); ++other)
            members[other.key()] = other.value();
        seeds.append(QJsonDocument(members).toJson(QJsonDocument::Compact));
    }
    return seeds;
}

// A table by day, bucket of a long and a string.
inline const iceberg::TableMetadata &fuzzTable()
{
    static const iceberg::TableMetadata metadata = [] {
        const auto schema = iceberg::makeSchema(
            {{.name = QStringLiteral("id"), .type = {.kind = TypeKind::Bigint}},
             {.name = QStringLiteral("ts"), .type = {.kind = TypeKind::Timestamp, .precision = 6}},
             {.name = QStringLiteral("part"), .type = {.kind = TypeKind::Varchar}}});
        if (!schema)
            qFatal("%s", qPrintable(schema.error().text()));
        const auto spec = iceberg::makeSpec({{Transform::Day, QStringLiteral("ts"), 0},
                                             {Transform::Identity, QStringLiteral("part"), 0}},
                                            *schema);
        if (!spec)
            qFatal("%s", qPrintable(spec.error().text()));
        return iceberg::makeMetadata({.location = QStringLiteral("file:///t"),
                                      .schema = *schema,
                                      .spec = *spec,
                                      .sortOrder = {}});
    }();
    return metadata;
}

inline iceberg::DataFile fuzzFile(int number)
{
    return {.path = QStringLiteral("file:///t/data/%1.parquet").arg(number),
            .partition = {{qint64(number)}, {QStringLiteral("p%1").arg(number)}},
            .recordCount = number,
            .sizeInBytes = 1000 + number,
            .columnSizes = {{1, 100}, {2, 0}},
            .valueCounts = {{1, 12}, {3, number}},
            .nullValueCounts = {{1, 3}},
            .lowerBounds = {{1, QByteArray("\0\1\2\3\4\5\6\7", 8)}, {3, "a"}},
            .upperBounds = {{1, QByteArray("\7\1\2\3\4\5\6\7", 8)}, {3, ""}},
            .splitOffsets = {4, 1000},
            .keyMetadata = "key"};
}

// As the table's writer makes it, uncompressed where changes are to reach what is in it.
inline iceberg::WrittenManifest fuzzManifest(int files)
{
    iceberg::ManifestToWrite manifest{
        .path = QStringLiteral("file:///t/metadata/m.avro"), .snapshotId = 77, .sequenceNumber = 5};
    for (int i = 0; i < files; ++i)
        manifest.entries.push_back(
            {.status = i % 3 == 2 ? iceberg::EntryStatus::Deleted : iceberg::EntryStatus::Added,
             .snapshotId = 77,
             .sequenceNumber = 5,
             .fileSequenceNumber = 5,
             .file = fuzzFile(i)});
    auto written = iceberg::writeManifest(manifest, fuzzTable());
    if (!written)
        qFatal("%s", qPrintable(written.error().text()));
    return *std::move(written);
}

// The same file with its blocks as they are: compressed ones hide what is in them from mutations.
inline QByteArray unpacked(const QByteArray &bytes)
{
    const auto file = iceberg::avro::readFile(bytes, u"a seed");
    if (!file)
        qFatal("%s", qPrintable(file.error().text()));
    iceberg::avro::FileSpec spec{.schema = file->metadata.value(QStringLiteral("avro.schema")),
                                 .metadata = file->metadata,
                                 .codec = iceberg::avro::Codec::Null};
    spec.metadata.remove(QStringLiteral("avro.schema"));
    spec.metadata.remove(QStringLiteral("avro.codec"));
    const auto plain = iceberg::avro::writeFile(spec, file->records);
    if (!plain)
        qFatal("%s", qPrintable(plain.error().text()));
    return *plain;
}

inline QList<QByteArray> avroWords()
{
    QList<QByteArray> words;
    for (const char *word : {"\"type\":",
                             "\"null\"",
                             "\"long\"",
                             "\"record\"",
                             "\"array\"",
                             "\"map\"",
                             "\"fixed\"",
                             "\"size\":-1",
                             "\"field-id\":",
                             "[",
                             "]",
                             "{",
                             "}",
                             ",",
                             "deflate",
                             "null",
                             "zstandard",
                             "avro.codec",
                             "\xff\xff\xff\xff\x0f",
                             "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                             "\x01",
                             "\x02",
                             "\x80"})
        words.append(word);
    words.append(QByteArray(8, '\0'));
    words.append(QByteArray("\0", 1));
    return words;
}

// Read or refused by kind; nothing else comes out of reading a file.
inline QString wrongError(const Error &error)
{
    const bool known = error.kind == ErrorKind::Corrupt || error.kind == ErrorKind::Unsupported;
    return known && !error.message.isEmpty() ? QString() : error.text();
}

}  // namespace ivm::fuzz
