#include "framework/host/documents.h"

#include <QJsonDocument>
#include <QTest>

using namespace ivm;

namespace {

const QString kFlights = QStringLiteral("iceberg.main.flights");

QByteArray textOf(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

View exampleView()
{
    View view;
    view.spec.name = QStringLiteral("hourly");
    view.shape.strategy = Strategy::Ranges;
    view.shape.why = QStringLiteral("key 'h' is the hour of ts");
    view.shape.columns = {{QStringLiteral("h"), ColumnClass::Key, {}}};
    view.shape.bucket.emplace();
    return view;
}

}  // namespace

class tst_Documents : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRefresh();
    void aRefreshThatFailed();
    void aComparison();
    void anExplanation();
};

void tst_Documents::aRefresh()
{
    RefreshOutcome outcome;
    outcome.view = QStringLiteral("hourly");
    outcome.action = Action::Incremental;
    outcome.strategy = Strategy::Ranges;
    outcome.reason = QStringLiteral("2 files were added");
    outcome.ranges = {{QStringLiteral("2001-01-01 00:00:00"), std::nullopt}};
    outcome.nullBucket = true;
    outcome.rowsRead = 9007199254740993;
    outcome.rowsWritten = 2;
    outcome.rowsDeleted = 1;
    outcome.seconds = 0.25;
    outcome.sourceSnapshots = {{kFlights, QStringLiteral("9007199254740993")},
                               {QStringLiteral("iceberg.main.empty"), QString()}};
    outcome.targetSnapshot = QStringLiteral("7");
    QCOMPARE(textOf(outcomeJson(outcome)),
             QByteArray(R"({"action":"incremental","bytes_read":0,"files_read":0,"name":"hourly",)"
                        R"("null_bucket":true,)"
                        R"("ranges":[{"from":"2001-01-01 00:00:00","to":null}],)"
                        R"("reason":"2 files were added","rows_deleted":1,)"
                        R"("rows_read":9007199254740993,"rows_written":2,"seconds":0.25,)"
                        R"("source_snapshots":{"iceberg.main.empty":null,)"
                        R"("iceberg.main.flights":"9007199254740993"},)"
                        R"("strategy":"ranges","target_snapshot":"7"})"));
}

void tst_Documents::aRefreshThatFailed()
{
    RefreshOutcome outcome;
    outcome.view = QStringLiteral("hourly");
    outcome.action = Action::Error;
    outcome.error =
        notFoundError(QStringLiteral("no table")).at({QStringLiteral("views.yaml"), 3, 7});
    const auto object = outcomeJson(outcome);
    QCOMPARE(object.value(u"action").toString(), u"error");
    QCOMPARE(object.value(u"target_snapshot"), QJsonValue(QJsonValue::Null));
    QCOMPARE(textOf(object.value(u"error").toObject()),
             QByteArray(R"({"code":"not_found","column":7,"file":"views.yaml","line":3,)"
                        R"("message":"no table"})"));
}

void tst_Documents::aComparison()
{
    VerifyOutcome outcome;
    outcome.view = QStringLiteral("hourly");
    outcome.missing = 2;
    outcome.extra = 1;
    outcome.reported = {{QStringLiteral("p"), ColumnClass::Approximate, 3}};
    outcome.sampleColumns = {{.name = QStringLiteral("side"), .type = {.kind = TypeKind::Varchar}},
                             {.name = QStringLiteral("n"), .type = {.kind = TypeKind::Bigint}}};
    outcome.sample.push_back({Value{QStringLiteral("missing")}, Value{qint64(5)}});
    QCOMPARE(
        textOf(verifyJson(outcome)),
        QByteArray(R"({"equal":false,"extra":1,"missing":2,"name":"hourly",)"
                   R"("reported":[{"class":"approximate","column":"p","rows":3}],"sample":[{"n":5,)"
                   R"("side":"missing"}]})"));
}

void tst_Documents::anExplanation()
{
    Explanation explanation;
    explanation.statement = QStringLiteral("SELECT 1");
    RefreshPlan &plan = explanation.plan;
    plan.action = Action::Incremental;
    plan.reason = QStringLiteral("1 file was added");
    plan.bookmark.emplace();
    plan.bookmark->outputs = {
        {QStringLiteral("h"), {.kind = TypeKind::Timestamp, .precision = 6}, ColumnClass::Key}};
    plan.ranges.add({0, 3'600 * kMicrosPerSecond});
    SourcePlan source;
    source.mark.table = {QStringLiteral("iceberg"), QStringLiteral("main"),
                         QStringLiteral("flights")};
    source.mark.head.snapshot = 9007199254740993;
    source.before = TableHead{QStringLiteral("id"), QStringLiteral("token"), 5};
    source.snapshots = 1;
    source.files.added = 1;
    source.files.records = 10;
    source.files.bytes = 1000;
    plan.sources = {source};
    QCOMPARE(
        textOf(explanationJson(exampleView(), explanation)),
        QByteArray(
            R"({"action":"incremental","estimate":{"bytes":1000,"files":1,"rows":10},)"
            R"("name":"hourly","null_bucket":false,)"
            R"("ranges":[{"from":"1970-01-01 00:00:00","to":"1970-01-01 01:00:00"}],)"
            R"("reason":"1 file was added",)"
            R"("sources":[{"bookmark":"5","files_added":1,"files_deleted_from":0,)"
            R"("files_removed":0,)"
            R"("head":"9007199254740993","role":"driving","snapshots":1,)"
            R"("table":"iceberg.main.flights"}],)"
            R"("statement":"SELECT 1","strategy":"ranges","why":"key 'h' is the hour of ts"})"));
}

QTEST_GUILESS_MAIN(tst_Documents)
#include "tst_documents.moc"
