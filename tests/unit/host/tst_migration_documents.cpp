#include "framework/host/migration_documents.h"

#include "tests/support/fake_clock.h"
#include "tests/support/fake_history.h"

#include <QJsonDocument>
#include <QTest>

using namespace ivm;

namespace {

const QString kLine = QStringLiteral("sales");

MigrationEvent eventOf(qint64 id, QStringView name, const QDateTime &at, const QString &detail = {})
{
    MigrationEvent event;
    event.id = QStringLiteral("e%1").arg(id);
    event.at = at;
    event.version = 2;
    event.line = kLine;
    event.event = name.toString();
    event.actor = QStringLiteral("ann");
    event.detail = detail;
    return event;
}

}  // namespace

class tst_MigrationDocuments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_history = std::make_unique<test::FakeHistory>(m_clock); }
    void nothing();
    void aNamespaceThatHasOnlyALock();
    void aRunThatFailed();
    void aRunThatIsAtWork();
    void noMoreThanTheNewestEvents();
    void aHistoryThatCannotBeRead();

private:
    QJsonObject told()
    {
        const auto document = migrationsJson(*m_history, Call{});
        return document ? *document : QJsonObject();
    }
    QJsonObject first() { return told().value(u"namespaces").toArray().first().toObject(); }

    test::FakeClock m_clock;
    std::unique_ptr<test::FakeHistory> m_history;
};

void tst_MigrationDocuments::nothing()
{
    QCOMPARE(QJsonDocument(told()).toJson(QJsonDocument::Compact),
             QByteArray(R"({"events":[],"namespaces":[]})"));
    QVERIFY(!m_history->isMade());
}

// A run holds it before it has done anything, and leaves it when it dies there.
void tst_MigrationDocuments::aNamespaceThatHasOnlyALock()
{
    QVERIFY(m_history->acquire(
        {.line = kLine, .owner = QStringLiteral("ann"), .doing = QStringLiteral("upgrade")},
        Call{}));
    const auto line = first();
    QCOMPARE(line.value(u"namespace").toString(), kLine);
    QCOMPARE(line.value(u"current").toInteger(-1), 0);
    QCOMPARE(line.value(u"lock")[u"owner"].toString(), QStringLiteral("ann"));
    QCOMPARE(line.value(u"lock")[u"stale"], QJsonValue(false));
    QVERIFY(line.value(u"open").isNull());
}

void tst_MigrationDocuments::aRunThatFailed()
{
    const auto now = m_clock.now();
    QVERIFY(m_history->append(
        {eventOf(1, event::kUpgradeStarted, now),
         eventOf(2, event::kUpgradeFailed, now, QStringLiteral(R"({"error":"disk full"})"))},
        Call{}));
    const auto line = first();
    QCOMPARE(line.value(u"open")[u"text"].toString(),
             QStringLiteral("the upgrade of 0002 by ann failed: 0 of its steps are done: disk "
                            "full"));
    QVERIFY(line.value(u"lock").isNull());
    QCOMPARE(told().value(u"events").toArray().last()[u"detail"].toString(),
             QStringLiteral(R"({"error":"disk full"})"));
}

// Nobody should mend what only takes its time.
void tst_MigrationDocuments::aRunThatIsAtWork()
{
    QVERIFY(m_history->acquire(
        {.line = kLine, .owner = QStringLiteral("ann"), .doing = QStringLiteral("upgrade")},
        Call{}));
    QVERIFY(m_history->append({eventOf(1, event::kUpgradeStarted, m_clock.now()),
                               eventOf(2, event::kStepStarted, m_clock.now())},
                              Call{}));
    QCOMPARE(first().value(u"open")[u"text"].toString(),
             QStringLiteral("the upgrade of 0002 by ann is at work: 0 of its steps are done"));
    m_clock.advance(std::chrono::hours(1));
    const QString text = first().value(u"open")[u"text"].toString();
    QVERIFY2(text.contains(u"did not end"), qPrintable(text));
}

void tst_MigrationDocuments::noMoreThanTheNewestEvents()
{
    QList<MigrationEvent> events;
    for (qint64 i = 1; i <= 60; ++i)
        events.append(eventOf(i, event::kStamped, m_clock.now().addSecs(i)));
    QVERIFY(m_history->append(events, Call{}));
    MigrationRecord record;
    record.version = 2;
    record.line = kLine;
    QVERIFY(m_history->save(record, Call{}));
    const auto told = this->told().value(u"events").toArray();
    QCOMPARE(told.size(), 50);
    QCOMPARE(told.first()[u"event_id"].toString(), QStringLiteral("e11"));
    QCOMPARE(told.last()[u"event_id"].toString(), QStringLiteral("e60"));
}

void tst_MigrationDocuments::aHistoryThatCannotBeRead()
{
    m_history->failNext(QStringLiteral("history"), unavailableError(QStringLiteral("away")));
    const auto document = migrationsJson(*m_history, Call{});
    QVERIFY(!document);
    QCOMPARE(document.error().message, QStringLiteral("away"));
}

QTEST_GUILESS_MAIN(tst_MigrationDocuments)
#include "tst_migration_documents.moc"
