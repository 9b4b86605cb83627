#include "framework/iceberg/avro.h"
#include "framework/iceberg/manifest.h"
#include "tests/unit/iceberg/warehouse.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRandomGenerator>

using namespace ivm;
using namespace ivm::iceberg;
using namespace ivm::test;

namespace {

// A table partitioned by a column of the given type.
TableMetadata tableBy(const QString &type)
{
    const auto schema =
        valueOf(makeSchema({{.name = QStringLiteral("my col"), .type = valueOf(parseType(type))}}));
    PartitionSpec spec{.id = 0,
                       .fields = {{.sourceId = 1,
                                   .fieldId = 1000,
                                   .name = QStringLiteral("my col"),
                                   .transform = makeTransform(Transform::Identity)}}};
    return makeMetadata(
        {.location = QStringLiteral("file:///t"), .schema = schema, .spec = spec, .sortOrder = {}});
}

ManifestEntry entryOf(DataFile file) { return {.file = std::move(file)}; }

DataFile fullFile()
{
    return {.content = FileContent::Data,
            .path = QStringLiteral("file:///data/Zürich.parquet"),
            .partition = {{qint64(7)}},
            .recordCount = 12,
            .sizeInBytes = 3456,
            .columnSizes = {{1, 100}, {2, 0}},
            .valueCounts = {{1, 12}},
            .nullValueCounts = {{1, 3}},
            .nanValueCounts = {{1, 1}},
            .lowerBounds = {{1, QByteArray("\0\1", 2)}},
            .upperBounds = {{1, QByteArray()}},
            .splitOffsets = {4, 1000},
            .equalityIds = {1},
            .sortOrderId = 0,
            .referencedDataFile = QStringLiteral("file:///data/other.parquet"),
            .keyMetadata = "key"};
}

WrittenManifest written(const std::vector<ManifestEntry> &entries, const TableMetadata &metadata,
                        ManifestContent content = ManifestContent::Data)
{
    return valueOf(writeManifest({.path = QStringLiteral("file:///m.avro"),
                                  .content = content,
                                  .entries = entries,
                                  .snapshotId = 77,
                                  .sequenceNumber = 5},
                                 metadata));
}

// The file with one value of its first record replaced: the one that the indexes lead to.
QByteArray changed(const QByteArray &bytes, const QList<size_t> &place, const avro::Value &value)
{
    auto file = valueOf(avro::readFile(bytes, u"m"));
    avro::Value *found = &file.records.front();
    for (const size_t index : place)
        found = &std::get<std::vector<avro::Value>>(found->data).at(index);
    *found = value;
    return valueOf(avro::writeFile({.schema = file.metadata.value(QStringLiteral("avro.schema"))},
                                   file.records));
}

}  // namespace

class tst_Manifest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhatItWrote();
    void inheritsTheCommitsNumbers();
    void keepsNumbersThatAreThere();
    void countsAndSummarizes();
    void keepsPartitionValues_data();
    void keepsPartitionValues();
    void saysWhatReadersNeed();
    void refusesAPartitionThatDoesNotFit();
    void readsListsBack();
    void readsWhatVersion1LeftOut();
    void refusesDeletionVectors();
    void refusesUnknownSpecs();
    void refusesListsThatCannotBe_data();
    void refusesListsThatCannotBe();
    void refusesAListThatWasEmptied();
    void refusesEntriesThatCannotBe_data();
    void refusesEntriesThatCannotBe();
    void survivesMutations();
};

void tst_Manifest::readsWhatItWrote()
{
    const auto metadata = tableBy(QStringLiteral("bigint"));
    const auto manifest = written({entryOf(fullFile())}, metadata);
    const auto read = readManifest(manifest.bytes, manifest.manifest, metadata);
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QCOMPARE(read->size(), size_t(1));
    QVERIFY((*read)[0].file == fullFile());
    QCOMPARE(manifest.manifest.length, manifest.bytes.size());
}

void tst_Manifest::inheritsTheCommitsNumbers()
{
    const auto metadata = tableBy(QStringLiteral("bigint"));
    auto manifest = written({entryOf(fullFile())}, metadata);
    // The number is not in the manifest but in the list: a commit that was lost and tried again has
    // another.
    manifest.manifest.sequenceNumber = 9;
    const auto read = valueOf(readManifest(manifest.bytes, manifest.manifest, metadata));
    QCOMPARE(read[0].snapshotId, std::optional<SnapshotId>(77));
    QCOMPARE(read[0].sequenceNumber, std::optional<qint64>(9));
    QCOMPARE(read[0].fileSequenceNumber, std::optional<qint64>(9));
}

void tst_Manifest::keepsNumbersThatAreThere()
{
    const auto metadata = tableBy(QStringLiteral("bigint"));
    const ManifestEntry existing{.status = EntryStatus::Existing,
                                 .snapshotId = 3,
                                 .sequenceNumber = 1,
                                 .fileSequenceNumber = 2,
                                 .file = fullFile()};
    const auto manifest = written({existing}, metadata);
    const auto read = valueOf(readManifest(manifest.bytes, manifest.manifest, metadata));
    QVERIFY(read[0] == existing);
    QCOMPARE(manifest.manifest.minSequenceNumber, 1);
}

void tst_Manifest::countsAndSummarizes()
{
    const auto metadata = tableBy(QStringLiteral("double"));
    const auto at = [](EntryStatus status, const Literal &value, qint64 rows) {
        return ManifestEntry{.status = status,
                             .snapshotId = 1,
                             .sequenceNumber = 4,
                             .fileSequenceNumber = 4,
                             .file = dataFile(QStringLiteral("a"), rows, {value})};
    };
    const auto manifest =
        written({at(EntryStatus::Added, {1.5}, 1), at(EntryStatus::Existing, {}, 2),
                 at(EntryStatus::Existing, {-0.0}, 4),
                 at(EntryStatus::Deleted, {std::numeric_limits<double>::quiet_NaN()}, 8)},
                metadata)
            .manifest;
    QCOMPARE(manifest.addedFiles, 1);
    QCOMPARE(manifest.existingFiles, 2);
    QCOMPARE(manifest.deletedFiles, 1);
    QCOMPARE(manifest.addedRows, 1);
    QCOMPARE(manifest.existingRows, 6);
    QCOMPARE(manifest.deletedRows, 8);
    QCOMPARE(manifest.minSequenceNumber, 4);
    const FieldType type{.id = TypeId::Double};
    QVERIFY(manifest.partitions == (QList<FieldSummary>{{.containsNull = true,
                                                         .containsNan = true,
                                                         .lower = literalToBytes(type, {-0.0}),
                                                         .upper = literalToBytes(type, {1.5})}}));
}

void tst_Manifest::keepsPartitionValues_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QStringList>("values");
    const auto row = [](const char *type, const char *values) {
        QTest::newRow(type) << QString::fromLatin1(type) << QString::fromUtf8(values).split(u'|');
    };
    row("boolean", "true|false");
    row("integer", "-2147483648|2147483647");
    row("bigint", "-1|9223372036854775807");
    row("real", "0.5|NaN|-Infinity");
    row("double", "0.1|-0.0");
    row("decimal(9,2)", "-1.28|0.00|9999999.99");
    row("decimal(38,10)", "-9999999999999999999999999999.9999999999|0.0000000001");
    row("varchar", "|Zürich|a/b=c");
    row("varbinary", "00ff|");
    row("uuid", "f79c3e09-677c-4bbd-a479-3f349cb785e7");
    row("date", "1969-12-31|2001-01-31");
    row("time(6)", "23:59:59.999999");
    row("timestamp(6)", "1969-12-31 23:59:59.999999");
    row("timestamp(6) with time zone", "2001-01-31 12:00:00 UTC");
}

void tst_Manifest::keepsPartitionValues()
{
    QFETCH(QString, type);
    QFETCH(QStringList, values);
    const auto metadata = tableBy(type);
    const auto &fieldType = metadata.currentSchema().fields[0].type;
    std::vector<ManifestEntry> entries{entryOf(dataFile(QStringLiteral("null"), 1, {{}}))};
    for (const auto &value : values)
        entries.push_back(
            entryOf(dataFile(value, 1, {valueOf(literalFromText(fieldType, value))})));
    const auto manifest = written(entries, metadata);
    const auto read = valueOf(readManifest(manifest.bytes, manifest.manifest, metadata));
    QCOMPARE(read.size(), entries.size());
    for (size_t i = 0; i < read.size(); ++i)
        QVERIFY(read[i].file.partition == entries[i].file.partition);
}

void tst_Manifest::saysWhatReadersNeed()
{
    const auto metadata = tableBy(QStringLiteral("date"));
    const auto manifest = written({}, metadata, ManifestContent::Deletes);
    const auto file = valueOf(avro::readFile(manifest.bytes, u"m"));
    QCOMPARE(file.metadata.value(QStringLiteral("content")), QByteArray("deletes"));
    QCOMPARE(file.metadata.value(QStringLiteral("format-version")), QByteArray("2"));
    QCOMPARE(file.metadata.value(QStringLiteral("partition-spec-id")), QByteArray("0"));
    QCOMPARE(file.metadata.value(QStringLiteral("schema-id")), QByteArray("0"));
    QCOMPARE(
        file.metadata.value(QStringLiteral("partition-spec")),
        QByteArray(R"([{"field-id":1000,"name":"my col","source-id":1,"transform":"identity"}])"));
    const QByteArray schema = file.metadata.value(QStringLiteral("avro.schema"));
    QVERIFY(schema.contains(R"("field-id":1000,"iceberg-field-name":"my col","name":"my_x20col")"));
    QVERIFY(schema.contains(R"("logicalType":"date")"));
    QVERIFY(schema.contains(R"("logicalType":"map")"));
}

void tst_Manifest::refusesAPartitionThatDoesNotFit()
{
    const auto result = writeManifest(
        {.path = QStringLiteral("m"), .entries = {entryOf(dataFile(QStringLiteral("a"), 1))}},
        tableBy(QStringLiteral("date")));
    QVERIFY(!result);
    QCOMPARE(result.error().message,
             QStringLiteral("file:///data/a has 0 partition values, its spec 1 fields"));
}

void tst_Manifest::readsListsBack()
{
    const ManifestFile manifest{
        .path = QStringLiteral("file:///m.avro"),
        .length = 10,
        .specId = 3,
        .content = ManifestContent::Deletes,
        .sequenceNumber = 4,
        .minSequenceNumber = 2,
        .addedSnapshotId = 5555555555555555555,
        .addedFiles = 1,
        .existingFiles = 2,
        .deletedFiles = 3,
        .addedRows = 4,
        .existingRows = 5,
        .deletedRows = 6,
        .partitions = {{.containsNull = true}, {.containsNan = false, .lower = "a", .upper = "b"}},
        .keyMetadata = "k"};
    const Snapshot snapshot{.id = 7, .sequenceNumber = 4, .manifestList = {}};
    const auto bytes = valueOf(writeManifestList({manifest, manifest}, snapshot));
    QVERIFY(valueOf(readManifestList(bytes, u"l")) == (QList<ManifestFile>{manifest, manifest}));
    const auto file = valueOf(avro::readFile(bytes, u"l"));
    QCOMPARE(file.metadata.value(QStringLiteral("snapshot-id")), QByteArray("7"));
    QCOMPARE(file.metadata.value(QStringLiteral("parent-snapshot-id")), QByteArray("null"));
    QCOMPARE(file.metadata.value(QStringLiteral("sequence-number")), QByteArray("4"));
}

// Lists of version 1 have neither content nor sequence numbers, and counts are optional.
void tst_Manifest::readsWhatVersion1LeftOut()
{
    const QByteArray schema = R"({"type":"record","name":"manifest_file","fields":[
        {"name":"manifest_path","type":"string","field-id":500},
        {"name":"manifest_length","type":"long","field-id":501},
        {"name":"partition_spec_id","type":"int","field-id":502},
        {"name":"added_snapshot_id","type":["null","long"],"field-id":503},
        {"name":"added_data_files_count","type":["null","int"],"field-id":504}]})";
    const avro::Value record{
        std::vector<avro::Value>{{QStringLiteral("m")}, {qint64(1)}, {qint64(0)}, {qint64(9)}, {}}};
    const auto bytes = valueOf(avro::writeFile({.schema = schema, .metadata = {}}, {record}));
    const auto manifests = valueOf(readManifestList(bytes, u"l"));
    QCOMPARE(manifests.size(), 1);
    QCOMPARE(manifests[0].sequenceNumber, 0);
    QCOMPARE(manifests[0].content, ManifestContent::Data);
    QCOMPARE(manifests[0].addedFiles, -1);
    QVERIFY(manifests[0].hasLiveFiles());
}

void tst_Manifest::refusesDeletionVectors()
{
    const auto metadata = tableBy(QStringLiteral("bigint"));
    auto file = fullFile();
    file.content = FileContent::PositionDeletes;
    file.format = QStringLiteral("PUFFIN");
    const auto manifest = written({entryOf(file)}, metadata, ManifestContent::Deletes);
    const auto read = readManifest(manifest.bytes, manifest.manifest, metadata);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Unsupported);
    QCOMPARE(read.error().message,
             QStringLiteral("file:///m.avro: file:///data/Zürich.parquet is a deletion vector, "
                            "which belongs to a newer format version than 2"));
}

void tst_Manifest::refusesUnknownSpecs()
{
    const auto metadata = tableBy(QStringLiteral("bigint"));
    auto manifest = written({}, metadata);
    manifest.manifest.specId = 4;
    const auto read = readManifest(manifest.bytes, manifest.manifest, metadata);
    QVERIFY(!read);
    QCOMPARE(read.error().message,
             QStringLiteral("file:///m.avro: the table has no partition spec 4"));
}

void tst_Manifest::refusesListsThatCannotBe_data()
{
    QTest::addColumn<int>("field");
    QTest::addColumn<qint64>("value");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, int field, qint64 value, const char *message) {
        QTest::newRow(name) << field << value << QString::fromLatin1(message);
    };
    row("content of a later version", 3, 2, "l: a manifest has content 2");
    row("content below zero", 3, -1, "l: a manifest has content -1");
    row("fewer files than none", 7, -5, "l: \"added_files_count\" is -5");
    row("fewer rows than none", 12, -1, "l: \"deleted_rows_count\" is -1");
}

void tst_Manifest::refusesListsThatCannotBe()
{
    QFETCH(int, field);
    QFETCH(qint64, value);
    const ManifestFile manifest{.path = QStringLiteral("file:///m.avro"), .addedFiles = 1};
    const Snapshot snapshot{.id = 7, .sequenceNumber = 4, .manifestList = {}};
    const auto bytes = valueOf(writeManifestList({manifest}, snapshot));
    QVERIFY(readManifestList(bytes, u"l"));
    const auto read = readManifestList(changed(bytes, {size_t(field)}, {value}), u"l");
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Corrupt);
    QTEST(read.error().message, "message");
}

// Cut behind its header, a list would read as a table without rows.
void tst_Manifest::refusesAListThatWasEmptied()
{
    MemoryIO io;
    Snapshot snapshot{.id = 7,
                      .sequenceNumber = 4,
                      .manifestList = QStringLiteral("file:///snap.avro"),
                      .summary = {{QStringLiteral("total-data-files"), QStringLiteral("0")}}};
    QVERIFY(io.create(snapshot.manifestList, valueOf(writeManifestList({}, snapshot))));
    QVERIFY(valueOf(loadManifestList(io, snapshot)).isEmpty());
    snapshot.summary.insert(QStringLiteral("total-data-files"), QStringLiteral("3"));
    const auto read = loadManifestList(io, snapshot);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Corrupt);
    QCOMPARE(read.error().message,
             QStringLiteral("file:///snap.avro lists no manifests, and snapshot 7 has 3 files"));
}

void tst_Manifest::refusesEntriesThatCannotBe_data()
{
    QTest::addColumn<QList<int>>("place");
    QTest::addColumn<qint64>("value");
    QTest::addColumn<QString>("message");
    QTest::newRow("an unknown status")
        << QList<int>{0} << qint64(3) << QStringLiteral("file:///m.avro: an entry has status 3");
    QTest::newRow("an unknown content")
        << QList<int>{4, 0} << qint64(3) << QStringLiteral("file:///m.avro: a file has content 3");
}

void tst_Manifest::refusesEntriesThatCannotBe()
{
    QFETCH(QList<int>, place);
    QFETCH(qint64, value);
    const auto metadata = tableBy(QStringLiteral("bigint"));
    auto manifest = written({entryOf(fullFile())}, metadata);
    const auto bytes = changed(manifest.bytes, {place.begin(), place.end()}, {value});
    const auto read = readManifest(bytes, manifest.manifest, metadata);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Corrupt);
    QTEST(read.error().message, "message");
}

void tst_Manifest::survivesMutations()
{
    const auto metadata = tableBy(QStringLiteral("bigint"));
    const auto manifest = written({entryOf(fullFile())}, metadata);
    // Uncompressed, so that what is changed is what the reader sees.
    const auto file = valueOf(avro::readFile(manifest.bytes, u"m"));
    const auto plain =
        valueOf(avro::writeFile({.schema = file.metadata.value(QStringLiteral("avro.schema")),
                                 .metadata = {},
                                 .codec = avro::Codec::Null},
                                file.records));
    QRandomGenerator random(3);
    int refused = 0;
    for (int round = 0; round < 3000; ++round) {
        auto bytes = plain;
        bytes[random.bounded(int(bytes.size()))] = char(random.bounded(256));
        const auto read = readManifest(bytes, manifest.manifest, metadata);
        refused += read ? 0 : 1;
        QVERIFY(read || read.error().kind == ErrorKind::Corrupt ||
                read.error().kind == ErrorKind::Unsupported);
    }
    QVERIFY(refused > 300);
}

QTEST_GUILESS_MAIN(tst_Manifest)
#include "tst_manifest.moc"
