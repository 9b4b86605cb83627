#include "framework/base/json.h"
#include "framework/iceberg/metadata.h"
#include "tests/support/golden.h"

#include <QJsonDocument>
#include <QRandomGenerator>

using namespace ivm;
using namespace ivm::iceberg;

namespace {

const QString kFolder = QStringLiteral("iceberg_metadata");

QByteArray baseFile()
{
    QFile file(QStringLiteral(IVM_SOURCE_DIR "/tests/golden/iceberg_metadata/base.json"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString textOf(const QJsonValue &value)
{
    if (value.isUndefined())
        return QStringLiteral("nothing");
    return QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact))
        .chopped(1)
        .sliced(1);
}

QString differences(const QJsonObject &before, const QJsonObject &after)
{
    QStringList lines;
    auto keys = (before.keys() + after.keys());
    keys.sort();
    keys.removeDuplicates();
    for (const auto &key : keys) {
        if (before.value(key) != after.value(key))
            lines.append(QStringLiteral("%1: %2 → %3")
                             .arg(key, textOf(before.value(key)), textOf(after.value(key))));
    }
    return lines.isEmpty() ? QStringLiteral("as it was") : lines.join(u'\n');
}

// The base file with the members of `patch` in place of its own: what is lost when it is read and
// written, or why it is refused.
QString roundTrip(const QString &patch)
{
    QJsonObject object = QJsonDocument::fromJson(baseFile()).object();
    const auto members = QJsonDocument::fromJson(patch.toUtf8()).object();
    for (auto it = members.begin(); it != members.end(); ++it)
        object.insert(it.key(), it.value());
    const auto metadata = metadataFromJson(json::compact(object), u"base.json");
    if (!metadata)
        return errorKindName(metadata.error().kind) + QStringLiteral(": ") +
               metadata.error().text();
    return differences(object, QJsonDocument::fromJson(metadataToJson(*metadata)).object());
}

Result<TableMetadata> base() { return metadataFromJson(baseFile(), u"base.json"); }

Schema flights()
{
    return makeSchema({{.name = QStringLiteral("id"), .type = {.kind = TypeKind::Bigint}},
                       {.name = QStringLiteral("ts"),
                        .type = {.kind = TypeKind::Timestamp, .precision = 6}},
                       {.name = QStringLiteral("ts_day"), .type = {.kind = TypeKind::Varchar}}})
        .value_or(Schema{});
}

QString specText(const QList<PartitionField> &partitioning)
{
    const auto spec = makeSpec(partitioning, flights());
    if (!spec)
        return spec.error().message;
    QStringList words;
    for (const auto &field : spec->fields)
        words.append(QStringLiteral("%1 %2=%3(%4)")
                         .arg(field.fieldId)
                         .arg(field.name, field.transform.text)
                         .arg(field.sourceId));
    return words.join(QStringLiteral(", "));
}

}  // namespace

class tst_TableMetadata : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { updateGoldenFiles(); }
    void golden_data() { test::addGoldenRows(kFolder); }
    void golden();
    void readsWhatItSays();
    void refusesWhatIsNoJson();
    void survivesTruncation();
    void survivesMutations();
    void namesPartitionFields();
    void refusesWrongPartitioning();
    void readsSortOrders_data();
    void readsSortOrders();
    void makesATable();
    void givesEachSchemaAnId();

private:
    static void updateGoldenFiles() { test::updateGolden(kFolder, roundTrip); }
};

void tst_TableMetadata::golden()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QCOMPARE(roundTrip(input), expected);
}

void tst_TableMetadata::readsWhatItSays()
{
    const auto metadata = base();
    QVERIFY2(metadata, qPrintable(metadata ? QString() : metadata.error().text()));
    QCOMPARE(metadata->currentSnapshotId, std::optional(3055729675574597004));
    QCOMPARE(metadata->currentSnapshot()->operation(), QStringLiteral("overwrite"));
    QCOMPARE(metadata->currentSnapshot()->parent, std::optional(3051729675574597004));
    QCOMPARE(metadata->currentSchema().fields.size(), 4);
    QCOMPARE(metadata->currentSchema().field(9)->type.id, TypeId::Timestamptz);
    QCOMPARE(metadata->currentSchema().column(u"Y")->type.text(), QStringLiteral("decimal(9,2)"));
    QCOMPARE(metadata->schemaOf(metadata->snapshots[0]).id, 1);
    QVERIFY(metadata->defaultSpec().fields[0].transform.kind == Transform::Bucket);
    QVERIFY(!metadata->defaultSpec().fields[1].transform.kind);
    QVERIFY(metadata->refs.value(QStringLiteral("before")).isTag);
    QVERIFY(metadata->defaultSortOrder().fields[1].descending);
}

void tst_TableMetadata::refusesWhatIsNoJson()
{
    const auto metadata = metadataFromJson("{\"format-version\": 2", u"m.json");
    QVERIFY(!metadata);
    QCOMPARE(metadata.error().kind, ErrorKind::Corrupt);
    QCOMPARE(metadata.error().message,
             QStringLiteral("m.json is not JSON: invalid termination by number at byte 20"));
}

void tst_TableMetadata::survivesTruncation()
{
    const auto whole = baseFile().trimmed();
    for (qsizetype size = 0; size < whole.size(); size += 7) {
        const auto metadata = metadataFromJson(whole.first(size), u"m.json");
        QVERIFY(!metadata);
        QCOMPARE(metadata.error().kind, ErrorKind::Corrupt);
    }
}

void tst_TableMetadata::survivesMutations()
{
    QRandomGenerator random(11);
    const auto whole = baseFile();
    int refused = 0;
    for (int round = 0; round < 1500; ++round) {
        auto bytes = whole;
        bytes[random.bounded(int(bytes.size()))] = char(random.bounded(256));
        const auto metadata = metadataFromJson(bytes, u"m.json");
        refused += metadata ? 0 : 1;
        if (!metadata)
            QVERIFY(metadata.error().kind == ErrorKind::Corrupt ||
                    metadata.error().kind == ErrorKind::Unsupported);
        else
            QVERIFY(metadataFromJson(metadataToJson(*metadata), u"m.json") == *metadata);
    }
    QVERIFY(refused > 300);
}

void tst_TableMetadata::namesPartitionFields()
{
    QCOMPARE(specText({}), QString());
    QCOMPARE(specText({{Transform::Identity, QStringLiteral("id"), 0}}),
             QStringLiteral("1000 id=identity(1)"));
    // The usual name is that of a column.
    QCOMPARE(specText({{Transform::Day, QStringLiteral("TS"), 0},
                       {Transform::Identity, QStringLiteral("id"), 0}}),
             QStringLiteral("1000 ts_day_2=day(2), 1001 id=identity(1)"));
    const auto spec = makeSpec({{Transform::Day, QStringLiteral("ts"), 0}}, flights());
    QVERIFY(spec);
    QCOMPARE(partitioningOf(*spec, flights()),
             (QList<PartitionField>{{Transform::Day, QStringLiteral("ts"), 0}}));
}

void tst_TableMetadata::refusesWrongPartitioning()
{
    QCOMPARE(specText({{Transform::Day, QStringLiteral("nope"), 0}}),
             QStringLiteral("there is no column 'nope' (there are: id, ts, ts_day)"));
    QCOMPARE(specText({{Transform::Day, QStringLiteral("id"), 0}}),
             QStringLiteral("partition transform day does not take a column of type long"));
    QCOMPARE(specText({{Transform::Truncate, QStringLiteral("ts"), 4}}),
             QStringLiteral("partition transform truncate[4] does not take a column of type "
                            "timestamp"));
    QCOMPARE(specText({{Transform::Day, QStringLiteral("ts"), 0},
                       {Transform::Day, QStringLiteral("ts"), 0}}),
             QStringLiteral("partitioning names day(ts) twice"));
}

void tst_TableMetadata::readsSortOrders_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("kept");
    const auto row = [](const char *text, const char *kept) {
        QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(kept);
    };
    row("id", "id");
    row("id asc", "id");
    row("ID DESC", "id DESC");
    row("\"ts\" DESC NULLS FIRST", "ts DESC NULLS FIRST");
    row("ts  NULLS  LAST", "ts ASC NULLS LAST");
    row("id DESC NULLS LAST", "id DESC");
    row("id down", "'id down' is not a sort column");
    row("", "'' is not a sort column");
    row("nope", "there is no column 'nope' (there are: id, ts, ts_day)");
}

void tst_TableMetadata::readsSortOrders()
{
    QFETCH(QString, text);
    QFETCH(QString, kept);
    const auto order = makeSortOrder({text}, flights());
    QCOMPARE(order ? sortedByOf(*order, flights()).join(u',') : order.error().message, kept);
}

void tst_TableMetadata::makesATable()
{
    const auto schema = flights();
    const auto spec = makeSpec({{Transform::Day, QStringLiteral("ts"), 0}}, schema);
    const auto metadata = makeMetadata({.location = QStringLiteral("file:///w/t"),
                                        .schema = schema,
                                        .spec = spec.value_or(PartitionSpec{}),
                                        .sortOrder = {},
                                        .nowMs = 5});
    const auto read = metadataFromJson(metadataToJson(metadata), u"m.json");
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text()));
    QVERIFY(*read == metadata);
    QCOMPARE(read->lastColumnId, 3);
    QCOMPARE(read->lastPartitionId, 1000);
    QVERIFY(!read->currentSnapshot());
}

void tst_TableMetadata::givesEachSchemaAnId()
{
    auto metadata = base().value_or(TableMetadata{});
    Schema wider = metadata.currentSchema();
    wider.fields.append(
        Field{.id = 10, .name = QStringLiteral("new"), .type = {.id = TypeId::String}});
    setCurrentSchema(metadata, wider);
    QCOMPARE(metadata.currentSchemaId, 2);
    QCOMPARE(metadata.lastColumnId, 10);
    setCurrentSchema(metadata, metadata.schemas[1]);
    QCOMPARE(metadata.currentSchemaId, 1);
    QCOMPARE(metadata.schemas.size(), 3);
}

QTEST_GUILESS_MAIN(tst_TableMetadata)
#include "tst_table_metadata.moc"
