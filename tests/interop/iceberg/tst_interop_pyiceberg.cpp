#include "tests/interop/iceberg/shared_table.h"

using namespace ivm;
using namespace ivm::iceberg;
using namespace ivm::test;

namespace {

constexpr qint64 kDay = 86'400'000'000;

const QList<TestRow> kFirstDay{{1, 10, QStringLiteral("a")}, {2, 20, QStringLiteral("b")}};
const QList<TestRow> kSecondDay{{3, kDay + 5, QStringLiteral("Zürich")}};
const QList<TestRow> kNoDay{{4, std::nullopt, QStringLiteral("a")}};

QStringList textsOf(const QJsonValue &list)
{
    QStringList out;
    const auto items = list.toArray();
    for (const auto &item : items)
        out.append(
            item.isString()
                ? item.toString()
                : QString::fromUtf8(QJsonDocument(item.toArray()).toJson(QJsonDocument::Compact)));
    return out;
}

}  // namespace

class tst_InteropPyiceberg : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void itReadsWhatWeCommit();
    void itReadsOurDeletesAndRollbacks();
    void itWritesToOurTables();
    void weReadItsTables();
    void weFindWhatItChanged();
    void itSeesOurSchemaChanges();

private:
    Table ours(const QString &name)
    {
        return m_warehouse.table(name, {{Transform::Day, QStringLiteral("ts"), 0}});
    }
    QJsonObject look(const QString &table)
    {
        return ask(QStringLiteral("look"),
                   {{QStringLiteral("table"), QString(QStringLiteral("main.") + table)}});
    }
    QJsonObject ask(const QString &what, const QJsonObject &arguments)
    {
        const auto answer = m_peer.ask(what, arguments);
        if (answer.contains(u"error"))
            QTest::qFail(qPrintable(answer.value(u"error").toString()), __FILE__, __LINE__);
        return answer;
    }
    LiveFiles liveOf(const Table &table)
    {
        return valueOf(
            liveFiles(m_warehouse.io, table.metadata, *table.metadata.currentSnapshot(), {}, {}));
    }

    TestWarehouse m_warehouse{Storage::Disk};
    Peer m_peer;
};

void tst_InteropPyiceberg::initTestCase()
{
    const QString problem = m_peer.start(m_warehouse.path());
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
}

void tst_InteropPyiceberg::itReadsWhatWeCommit()
{
    auto table = ours(QStringLiteral("ours"));
    table = m_warehouse.commit(table, {.added = {writeFile(m_peer, table, kFirstDay),
                                                 writeFile(m_peer, table, kSecondDay)}});
    table = m_warehouse.commit(table,
                               {.added = {writeFile(m_peer, table, kNoDay)},
                                .summary = {{QStringLiteral("ivm.intent"), QStringLiteral("x")}}});
    const auto seen = look(QStringLiteral("ours"));
    QCOMPARE(textsOf(seen.value(u"rows")),
             QStringLiteral("[1,10,\"a\"] [2,20,\"b\"] [3,86400000005,\"Zürich\"] [4,null,\"a\"]")
                 .split(u' '));
    QCOMPARE(textsOf(seen.value(u"columns")), QStringLiteral("id ts part").split(u' '));
    QCOMPARE(textsOf(seen.value(u"spec")), QStringList{QStringLiteral("ts_day=day")});
    QCOMPARE(seen.value(u"snapshots").toArray().size(), 2);
    QCOMPARE(seen.value(u"history").toArray().size(), 2);
    const auto summary =
        seen.value(u"snapshots").toArray()[1].toObject().value(u"summary").toObject();
    QCOMPARE(summary.value(u"ivm.intent").toString(), QStringLiteral("x"));
    QCOMPARE(summary.value(u"total-records").toString(), QStringLiteral("4"));
    QCOMPARE(seen.value(u"entries").toArray().size(), 3);
    for (const auto &value : seen.value(u"entries").toArray()) {
        const auto ts = value.toObject().value(u"metrics").toObject().value(u"ts").toObject();
        QVERIFY(ts.contains(u"lower_bound"));
        if (value.toObject().value(u"records") == 2)
            QCOMPARE(ts.value(u"upper_bound").toInteger(), 20);
    }
}

void tst_InteropPyiceberg::itReadsOurDeletesAndRollbacks()
{
    auto table = ours(QStringLiteral("undone"));
    const auto first = writeFile(m_peer, table, kFirstDay);
    table = m_warehouse.commit(table, {.added = {first, writeFile(m_peer, table, kSecondDay)}});
    const auto before = *table.metadata.currentSnapshotId;
    table = m_warehouse.commit(table,
                               {.operation = Operation::Overwrite,
                                .added = {writeFile(m_peer, table, {{5, 30, QStringLiteral("c")}})},
                                .removed = {first.path}});
    QCOMPARE(textsOf(look(QStringLiteral("undone")).value(u"rows")),
             QStringLiteral("[3,86400000005,\"Zürich\"] [5,30,\"c\"]").split(u' '));
    table = valueOf(setCurrentSnapshot(m_warehouse.all(), table, before));
    const auto seen = look(QStringLiteral("undone"));
    QCOMPARE(textsOf(seen.value(u"rows")),
             QStringLiteral("[1,10,\"a\"] [2,20,\"b\"] [3,86400000005,\"Zürich\"]").split(u' '));
    QCOMPARE(textsOf(seen.value(u"history")),
             (QStringList{QString::number(before), QString::number(table.metadata.snapshots[1].id),
                          QString::number(before)}));
}

void tst_InteropPyiceberg::itWritesToOurTables()
{
    auto table = ours(QStringLiteral("shared"));
    table = m_warehouse.commit(table, {.added = {writeFile(m_peer, table, kFirstDay),
                                                 writeFile(m_peer, table, kSecondDay)}});
    const QString name = QStringLiteral("main.shared");
    ask(QStringLiteral("append"),
        {{QStringLiteral("table"), name}, {QStringLiteral("rows"), toJson(kNoDay)}});
    ask(QStringLiteral("delete"),
        {{QStringLiteral("table"), name}, {QStringLiteral("where"), QStringLiteral("id = 1")}});

    table = m_warehouse.load(QStringLiteral("shared"));
    QVERIFY(table.metadata.snapshots.size() >= 3);
    const auto files = liveOf(table).data;
    QCOMPARE(files.size(), size_t(3));
    for (const auto &file : files) {
        if (file.file.partition == QList<Literal>{Literal{qint64(0)}}) {
            // What is left of the first day, rewritten, with metrics of PyIceberg's.
            QCOMPARE(file.file.recordCount, 1);
            const auto bounds = fileBounds(file.file, 2, table.metadata);
            QCOMPARE(bounds, (FileBounds{.lower = 20, .upper = 20, .nullState = NullState::Never}));
        } else if (file.file.partition == QList<Literal>{Literal{}}) {
            QCOMPARE(fileBounds(file.file, 2, table.metadata).nullState, NullState::Always);
        } else {
            QCOMPARE(file.sequenceNumber, 1);
        }
    }
    // And we go on where it stopped.
    table = m_warehouse.commit(
        table, {.added = {writeFile(m_peer, table, {{9, 2 * kDay, QStringLiteral("z")}})}});
    QCOMPARE(textsOf(look(QStringLiteral("shared")).value(u"rows")),
             QStringLiteral(
                 "[2,20,\"b\"] [3,86400000005,\"Zürich\"] [4,null,\"a\"] [9,172800000000,\"z\"]")
                 .split(u' '));
}

void tst_InteropPyiceberg::weReadItsTables()
{
    const QString name = QStringLiteral("main.theirs");
    ask(QStringLiteral("create"),
        {{QStringLiteral("table"), name}, {QStringLiteral("days"), true}});
    auto table = m_warehouse.load(QStringLiteral("theirs"));
    QVERIFY(!table.head().snapshot);
    QCOMPARE(partitioningOf(table.metadata.defaultSpec(), table.metadata.currentSchema()),
             (QList<PartitionField>{{Transform::Day, QStringLiteral("ts"), 0}}));
    ask(QStringLiteral("append"), {{QStringLiteral("table"), name},
                                   {QStringLiteral("rows"), toJson(kFirstDay + kSecondDay)}});
    table = m_warehouse.load(QStringLiteral("theirs"));
    QCOMPARE(liveOf(table).data.size(), size_t(2));
    table = m_warehouse.commit(
        table, {.operation = Operation::Overwrite,
                .added = {writeFile(m_peer, table, {{7, 7, QStringLiteral("w")}})},
                .removed = {liveOf(table).data[0].file.path, liveOf(table).data[1].file.path}});
    const auto seen = look(QStringLiteral("theirs"));
    QCOMPARE(textsOf(seen.value(u"rows")), QStringList{QStringLiteral("[7,7,\"w\"]")});
    QVERIFY(metadataFromJson(metadataToJson(table.metadata), u"m") == table.metadata);
}

void tst_InteropPyiceberg::weFindWhatItChanged()
{
    const QString name = QStringLiteral("main.watched");
    const auto append = [&](const QList<TestRow> &rows) {
        ask(QStringLiteral("append"),
            {{QStringLiteral("table"), name}, {QStringLiteral("rows"), toJson(rows)}});
    };
    ask(QStringLiteral("create"),
        {{QStringLiteral("table"), name}, {QStringLiteral("days"), true}});
    const auto empty = m_warehouse.load(QStringLiteral("watched"));
    append(kFirstDay + kSecondDay);
    const auto first = m_warehouse.load(QStringLiteral("watched"));
    QCOMPARE(changesBetween(m_warehouse.database(), empty, first),
             (QStringList{QStringLiteral("added 1..2"), QStringLiteral("added 3..3")}));
    append(kNoDay);
    ask(QStringLiteral("delete"),
        {{QStringLiteral("table"), name}, {QStringLiteral("where"), QStringLiteral("id = 1")}});
    const auto second = m_warehouse.load(QStringLiteral("watched"));
    QCOMPARE(changesBetween(m_warehouse.database(), first, second),
             (QStringList{QStringLiteral("added 2..2"), QStringLiteral("added 4..4"),
                          QStringLiteral("removed 1..2")}));
    ask(QStringLiteral("delete"),
        {{QStringLiteral("table"), name}, {QStringLiteral("where"), QStringLiteral("id = 3")}});
    QCOMPARE(
        changesBetween(m_warehouse.database(), second, m_warehouse.load(QStringLiteral("watched"))),
        QStringList{QStringLiteral("removed 3..3")});
}

void tst_InteropPyiceberg::itSeesOurSchemaChanges()
{
    auto table = ours(QStringLiteral("evolved"));
    table = m_warehouse.commit(table, {.added = {writeFile(m_peer, table, kFirstDay)}});
    auto next = table.metadata;
    Schema schema = next.currentSchema();
    schema.fields[2].name = QStringLiteral("place");
    setCurrentSchema(next, schema);
    table = valueOf(commitMetadata(m_warehouse.all(), table, next));
    const auto seen = look(QStringLiteral("evolved"));
    QCOMPARE(textsOf(seen.value(u"columns")), QStringLiteral("id ts place").split(u' '));
    QCOMPARE(textsOf(seen.value(u"rows")), QStringLiteral("[1,10,\"a\"] [2,20,\"b\"]").split(u' '));
    ask(QStringLiteral("rename_column"), {{QStringLiteral("table"), QStringLiteral("main.evolved")},
                                          {QStringLiteral("column"), QStringLiteral("place")},
                                          {QStringLiteral("to"), QStringLiteral("part")}});
    table = m_warehouse.load(QStringLiteral("evolved"));
    QCOMPARE(table.metadata.currentSchema().column(u"part")->id, 3);
}

QTEST_GUILESS_MAIN(tst_InteropPyiceberg)
#include "tst_interop_pyiceberg.moc"
