#include "framework/iceberg/avro.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>

using namespace ivm;
using namespace ivm::iceberg::avro;

namespace {

// Every kind that a manifest may use, nested as there.
const QByteArray kSchema = R"({"type": "record", "name": "r", "fields": [
    {"name": "flag", "type": "boolean", "field-id": 1},
    {"name": "count", "type": "int", "field-id": 2},
    {"name": "id", "type": ["null", "long"], "default": null, "field-id": 3},
    {"name": "ratio", "type": "float"},
    {"name": "exact", "type": "double"},
    {"name": "name", "type": "string"},
    {"name": "raw", "type": "bytes"},
    {"name": "uuid", "type": {"type": "fixed", "name": "u", "size": 4, "logicalType": "uuid"}},
    {"name": "list", "type": {"type": "array", "items": "long", "element-id": 5}},
    {"name": "map", "type": {"type": "map", "values": "string"}},
    {"name": "inner", "type": {"type": "record", "name": "i", "fields": [
        {"name": "x", "type": ["null", "u"], "field-id": 9}]}}
]})";

std::vector<Value> fields(qint64 count, const QString &name)
{
    const Value map{std::vector<Value>{{QStringLiteral("k")}, {QStringLiteral("v")}}};
    return {{true},
            {count},
            {},
            {0.5},
            {-1e300},
            {name},
            {QByteArray("\0\1", 2)},
            {QByteArray("abcd")},
            {std::vector<Value>{{qint64(1)}, {qint64(-64)}, {std::numeric_limits<qint64>::min()}}},
            map,
            {std::vector<Value>{{QByteArray("wxyz")}}}};
}

std::vector<Value> records(int count)
{
    std::vector<Value> out;
    for (int i = 0; i < count; ++i)
        out.push_back({fields(i, QStringLiteral("Zürich %1").arg(i))});
    return out;
}

QByteArray fileOf(int count, Codec codec)
{
    const auto bytes =
        writeFile({.schema = kSchema, .metadata = {}, .codec = codec}, records(count));
    return bytes ? *bytes : QByteArray();
}

QString problemOf(const QByteArray &bytes)
{
    const auto file = readFile(bytes, u"a.avro");
    return file ? QStringLiteral("read") : file.error().text();
}

// A file of the given schema whose one block holds `payload` and announces `count` records.
QByteArray handMade(const QByteArray &schema, const QByteArray &payload, char count,
                    const QByteArray &codec = "null")
{
    const auto string = [](const QByteArray &text) -> QByteArray {
        return char(text.size() * 2) + text;
    };
    Q_ASSERT(schema.size() < 64);
    return QByteArray("Obj\1\4", 5) + string("avro.codec") + string(codec) + string("avro.schema") +
           string(schema) + '\0' + QByteArray(16, 's') + char(count * 2) + string(payload) +
           QByteArray(16, 's');
}

// A file that was written with the schema "bytes", under another one.
QByteArray withSchema(QByteArray file, const QByteArray &schema)
{
    QByteArray length;
    for (auto bits = size_t(schema.size()) * 2;; bits >>= 7) {
        length.append(char(bits >= 0x80 ? (bits & 0x7f) | 0x80 : bits));
        if (bits < 0x80)
            break;
    }
    return file.replace("\x0e\"bytes\"", QByteArray(length + schema));
}

}  // namespace

class tst_Avro : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhatItWrote_data();
    void readsWhatItWrote();
    void keepsFieldIdsAndMetadata();
    void splitsManyRecordsIntoBlocks();
    void refusesARecordThatDoesNotFit();
    void readsWholeNumbersOfEverySize_data();
    void readsWholeNumbersOfEverySize();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void survivesEveryTruncation();
    void survivesMutations();
    void doesNotBelieveHugeCounts();
    void endsAtADepth();
    void boundsWhatABlockUnpacksTo();
    void boundsWhatARecordMayHold();
};

void tst_Avro::readsWhatItWrote_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("deflated");
    QTest::newRow("no record") << 0 << false;
    QTest::newRow("plain") << 3 << false;
    QTest::newRow("deflated") << 3 << true;
}

void tst_Avro::readsWhatItWrote()
{
    QFETCH(int, count);
    QFETCH(bool, deflated);
    const auto file = readFile(fileOf(count, deflated ? Codec::Deflate : Codec::Null), u"a.avro");
    QVERIFY2(file, qPrintable(file ? QString() : file.error().text()));
    QVERIFY(file->records == records(count));
}

void tst_Avro::keepsFieldIdsAndMetadata()
{
    const auto bytes = writeFile(
        {.schema = kSchema, .metadata = {{QStringLiteral("content"), "data"}}}, records(1));
    const auto file = readFile(bytes.value_or(QByteArray()), u"a.avro");
    QVERIFY(file);
    QCOMPARE(file->metadata.value(QStringLiteral("content")), QByteArray("data"));
    QCOMPARE(file->metadata.value(QStringLiteral("avro.schema")), kSchema);
    QCOMPARE(file->schema->fields[2].fieldId, std::optional(3));
    QVERIFY(!file->schema->fields[3].fieldId);
    QCOMPARE(file->schema->fields[7].type->logicalType, QStringLiteral("uuid"));
}

void tst_Avro::splitsManyRecordsIntoBlocks()
{
    const auto bytes = fileOf(30'000, Codec::Null);
    QVERIFY(bytes.size() > 1'100'000);
    const auto file = readFile(bytes, u"a.avro");
    QVERIFY(file);
    QVERIFY(file->records == records(30'000));
}

void tst_Avro::refusesARecordThatDoesNotFit()
{
    auto wrong = fields(1, QStringLiteral("x"));
    wrong[1] = {std::numeric_limits<qint64>::max()};
    const auto bytes = writeFile({.schema = kSchema, .metadata = {}}, {{wrong}});
    QVERIFY(!bytes);
    QCOMPARE(bytes.error().kind, ErrorKind::Internal);
    QCOMPARE(bytes.error().message, QStringLiteral("record 0 does not fit the Avro schema"));
}

void tst_Avro::readsWholeNumbersOfEverySize_data()
{
    QTest::addColumn<qint64>("number");
    for (int bits = 0; bits < 64; ++bits) {
        const auto power = qint64(quint64(1) << bits);
        QTest::addRow("2^%d", bits) << power;
        QTest::addRow("2^%d - 1", bits) << qint64(quint64(power) - 1);
        QTest::addRow("-2^%d - 1", bits) << qint64(~quint64(power));
    }
}

void tst_Avro::readsWholeNumbersOfEverySize()
{
    QFETCH(qint64, number);
    const auto bytes =
        writeFile({.schema = "\"long\"", .metadata = {}, .codec = Codec::Null}, {{number}});
    const auto file = readFile(bytes.value_or(QByteArray()), u"a.avro");
    QVERIFY(file);
    QVERIFY(file->records == std::vector<Value>{{number}});
}

void tst_Avro::saysWhatIsWrong_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("problem");
    const auto row = [](const char *name, const QByteArray &bytes, const char *problem) {
        QTest::newRow(name) << bytes << QString::fromUtf8(problem);
    };
    row("empty file", "", "a.avro: at byte 0 this is not an Avro file");
    row("other file", "PAR1....", "a.avro: at byte 4 this is not an Avro file");
    row("unknown codec", handMade("\"long\"", "\2", 1, "snappy"),
        "a.avro is compressed with 'snappy'; only deflate and none are read");
    row("schema is no JSON", handMade("{", "", 0), "a.avro: its Avro schema is not JSON");
    row("schema uses an unknown name", handMade("\"nope\"", "", 0),
        "a.avro: its Avro schema uses type 'nope', which it does not define");
    row("schema contains itself",
        handMade(R"({"type":"record","name":"r","fields":[{"type":"r"}]})", "", 0),
        "a.avro: type 'r' of its Avro schema contains itself");
    row("number is too long", handMade("\"long\"", QByteArray(10, '\xff') + '\1', 1),
        "a.avro: at byte 69 there is a number of more than 64 bits");
    row("int is too large", handMade("\"int\"", QByteArray(5, '\xff') + '\1', 1),
        "a.avro: at byte 64 an int has more than 32 bits");
    row("boolean is neither", handMade("\"boolean\"", "\2", 1),
        "a.avro: at byte 63 a boolean is neither 0 nor 1");
    row("string is not UTF-8", handMade("\"string\"", "\2\xff", 1),
        "a.avro: at byte 63 a string is not UTF-8");
    row("length is negative", handMade("\"string\"", "\x7f", 1),
        "a.avro: at byte 62 -64 bytes are announced, but 0 are left");
    row("more records than bytes", handMade("\"long\"", "\2", 60),
        "a.avro: at byte 76 a block of 1 bytes announces 60 records");
    row("bytes are left over", handMade("\"long\"", "\2\2", 1),
        "a.avro: at byte 60 1 bytes are left over in a block");
    row("block is not deflated", handMade("\"long\"", "\xff\xff\xff", 1, "deflate"),
        "a.avro: at byte 81 the block from byte 60 on does not decompress");
    row("union has no such branch", handMade(R"(["null"])", "\4", 1),
        "a.avro: at byte 62 a union has no branch 2");
}

void tst_Avro::saysWhatIsWrong()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, problem);
    QCOMPARE(problemOf(bytes), problem);
}

void tst_Avro::survivesEveryTruncation()
{
    for (const auto codec : {Codec::Null, Codec::Deflate}) {
        const auto whole = fileOf(3, codec);
        const auto header = fileOf(0, codec).size();
        for (qsizetype size = 0; size < whole.size(); ++size) {
            const auto file = readFile(whole.first(size), u"a.avro");
            // A file may end after its header: it is one without records.
            QCOMPARE(file.has_value(), size == header);
        }
    }
}

void tst_Avro::survivesMutations()
{
    QRandomGenerator random(7);
    QElapsedTimer timer;
    timer.start();
    int refused = 0;
    for (const auto codec : {Codec::Null, Codec::Deflate}) {
        const auto whole = fileOf(5, codec);
        for (int round = 0; round < 2000; ++round) {
            auto bytes = whole;
            for (int i = 0; i <= round % 3; ++i)
                bytes[random.bounded(int(bytes.size()))] = char(random.bounded(256));
            const auto file = readFile(bytes, u"a.avro");
            if (!file) {
                ++refused;
                QVERIFY(file.error().kind == ErrorKind::Corrupt ||
                        file.error().kind == ErrorKind::Unsupported);
            }
        }
    }
    QVERIFY(refused > 1000);
    QVERIFY2(timer.elapsed() < 5000, "a damaged file kept the reader busy");
}

void tst_Avro::doesNotBelieveHugeCounts()
{
    // 2^62 items of nothing, which would take no byte each.
    const QByteArray schema = R"({"type":"array","items":"null"})";
    const QByteArray huge = QByteArray(8, '\x80') + '\x80' + '\1';
    QCOMPARE(problemOf(handMade(schema, huge + '\0', 1)).section(u' ', 0, 3),
             QStringLiteral("a.avro: at byte 94"));
    const QByteArray negative = QByteArray(9, '\xff') + '\1';
    QVERIFY(problemOf(handMade(schema, negative + '\0', 1)).contains(u"out of range"));
}

void tst_Avro::endsAtADepth()
{
    QByteArray schema = "\"long\"";
    for (int i = 0; i < 500; ++i)
        schema = R"({"type":"array","items":)" + schema + '}';
    const auto node = parseSchema(schema, u"a.avro");
    QVERIFY(!node);
    QCOMPARE(node.error().message,
             QStringLiteral("a.avro: its Avro schema is nested deeper than 64"));
}

// Twenty million zeros are twenty kilobytes packed.
void tst_Avro::boundsWhatABlockUnpacksTo()
{
    const auto zeros = [](qsizetype count) {
        return writeFile({.schema = "\"bytes\"", .metadata = {}}, {{QByteArray(count, '\0')}})
            .value_or(QByteArray());
    };
    QCOMPARE(problemOf(zeros(10'000'000)), QStringLiteral("read"));
    QVERIFY(problemOf(zeros(30'000'000)).endsWith(u"does not decompress"));
    // The same bytes as so many numbers.
    const auto numbers = withSchema(zeros(4'000'000), R"({"type":"array","items":"long"})");
    QVERIFY(problemOf(numbers).endsWith(u"there is more than a manifest can hold"));
}

// Types may be used again: forty levels of pairs are a record of 2^40 values that take no byte.
void tst_Avro::boundsWhatARecordMayHold()
{
    QByteArray schema = "\"null\"";
    for (int level = 0; level < 40; ++level) {
        const QByteArray name = "r" + QByteArray::number(level);
        schema =
            R"({"type":"record","name":")" + name + R"(","fields":[{"name":"a","type":)" + schema +
            R"(},{"name":"b","type":)" +
            (level == 0 ? QByteArray("\"null\"") : "\"r" + QByteArray::number(level - 1) + '"') +
            "}]}";
    }
    const auto file = writeFile({.schema = "\"bytes\"", .metadata = {}}, {{QByteArray()}});
    const auto bytes = withSchema(file.value_or(QByteArray()), schema);
    QVERIFY(problemOf(bytes).endsWith(u"there is more than a manifest can hold"));
}

QTEST_GUILESS_MAIN(tst_Avro)
#include "tst_avro.moc"
