#include "framework/host/fallback_detector.h"

#include "tests/support/fake_engine.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

const TableName kNear = tableNamed(QStringLiteral("near"));
const TableName kFar = tableNamed(QStringLiteral("far"));
const TableName kNone = tableNamed(QStringLiteral("none"));

// Reads what is in its world, but no metadata of kFar.
class NearDetector final : public Detector {
public:
    explicit NearDetector(FakeWorld &world) : m_fake(world) {}

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &call) override
    {
        IVM_TRY(auto heads, m_fake.heads(requests, call));
        for (qsizetype i = 0; i < requests.size(); ++i) {
            if (requests[i].table == kFar)
                heads[i] = fail(outOfReach());
        }
        return heads;
    }
    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override
    {
        if (request.table == kFar)
            return fail(outOfReach());
        return m_fake.changes(request, call);
    }
    Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) override
    {
        if (request.table == kFar)
            return fail(outOfReach());
        return m_fake.liveFiles(request, call);
    }

private:
    static Error outOfReach()
    {
        return unsupportedError(QStringLiteral("s3://bucket/far: no scheme of ours"))
            .withCode(kMetadataOutOfReach);
    }

    FakeDetector m_fake;
};

}  // namespace

class tst_FallbackDetector : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void asksTheSecondOnlyForWhatIsOutOfReach();
    void makesNoSecondWithoutNeed();
    void tellsWhyThereIsNoSecond();

private:
    FallbackDetector detector()
    {
        return {std::make_unique<NearDetector>(m_first),
                [this]() -> Result<std::unique_ptr<Detector>> {
                    ++m_made;
                    if (m_refusal)
                        return fail(*m_refusal);
                    return std::make_unique<FakeDetector>(m_second);
                }};
    }

    FakeWorld m_first;
    FakeWorld m_second;
    std::optional<Error> m_refusal;
    int m_made = 0;
};

void tst_FallbackDetector::init()
{
    m_first = {};
    m_second = {};
    m_refusal.reset();
    m_made = 0;
    m_first.moveOn(kNear);
    m_second.moveOn(kFar);
    m_second.live.insert(kFar, {.files = 7, .records = 70, .bytes = 700});
}

void tst_FallbackDetector::asksTheSecondOnlyForWhatIsOutOfReach()
{
    auto both = detector();
    const auto heads = both.heads({{.table = kNear}, {.table = kFar}, {.table = kNone}}, Call{});
    QVERIFY(heads);
    QCOMPARE(*heads->at(0), m_first.heads.value(kNear));
    QCOMPARE(*heads->at(1), m_second.heads.value(kFar));
    QCOMPARE(heads->at(2).error().kind, ErrorKind::NotFound);
    QCOMPARE(m_second.log, QStringList(QStringLiteral("heads 1")));

    QVERIFY(
        both.changes({.table = kFar, .from = {}, .to = {}, .column = {}, .columns = {}}, Call{}));
    const auto files =
        both.liveFiles({.table = kFar, .at = {}, .column = {}, .within = {}}, Call{});
    QCOMPARE(files->records, 70);
    QCOMPARE(m_second.log.sliced(1),
             QStringList({QStringLiteral("changes far"), QStringLiteral("files far")}));
    QCOMPARE(m_made, 1);
}

void tst_FallbackDetector::makesNoSecondWithoutNeed()
{
    auto both = detector();
    QVERIFY(both.heads({{.table = kNear}, {.table = kNone}}, Call{}));
    QVERIFY(
        both.changes({.table = kNear, .from = {}, .to = {}, .column = {}, .columns = {}}, Call{}));
    QVERIFY(both.liveFiles({.table = kNear, .at = {}, .column = {}, .within = {}}, Call{}));
    QCOMPARE(m_made, 0);
}

void tst_FallbackDetector::tellsWhyThereIsNoSecond()
{
    m_refusal = unavailableError(QStringLiteral("no engine"));
    auto both = detector();
    const auto heads = both.heads({{.table = kNear}, {.table = kFar}}, Call{});
    QVERIFY(heads);
    QCOMPARE(*heads->at(0), m_first.heads.value(kNear));
    QCOMPARE(heads->at(1).error().message, QStringLiteral("no engine"));
}

QTEST_GUILESS_MAIN(tst_FallbackDetector)
#include "tst_fallback_detector.moc"
