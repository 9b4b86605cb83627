#include "plugins/store_iceberg/iceberg_state.h"
#include "tests/conformance/checks.h"
#include "tests/conformance/store_suite.h"
#include "tests/trino/real_trino.h"

#include <QTest>

#include <thread>

using namespace ivm;
using store_iceberg::IcebergState;
using store_iceberg::StateOptions;

namespace {

TableName table(const QString &name)
{
    return {QStringLiteral("iceberg"), QStringLiteral("main"), name};
}

LeaseRequest leaseOf(const QString &view)
{
    return {.target = table(view), .owner = QStringLiteral("ivmd on host")};
}

Bookmark bookmarkOf(const QString &view, int number)
{
    Bookmark bookmark;
    bookmark.view = view;
    bookmark.target = table(view);
    bookmark.resumeFrom = QString::number(number);
    return bookmark;
}

// Each in a thread of its own: the problems.
QStringList allAtOnce(int count, const std::function<Status(int)> &what)
{
    QStringList problems;
    std::mutex mutex;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < count; ++i) {
            threads.emplace_back([&, i] {
                if (const auto done = what(i); !done) {
                    const std::scoped_lock lock(mutex);
                    problems.append(done.error().code.isEmpty() ? done.error().text()
                                                                : done.error().code);
                }
            });
        }
    }
    return problems;
}

}  // namespace

// The state in Iceberg tables of a real Trino. One set of tables for all tests: each begins with
// empty ones.
class tst_StateTrino : public test::StoreSuite {
    Q_OBJECT

public:
    std::unique_ptr<StateStore> openEmpty(const Clock &clock) override
    {
        const QStringList tables{QStringLiteral("view_state"), QStringLiteral("view_leases"),
                                 QStringLiteral("view_records")};
        (void)allAtOnce(int(tables.size()), [&](int i) -> Status {
            IVM_TRY(const auto session, m_executor.openSession({}, {}));
            IVM_CHECK(execute(*session,
                              QStringLiteral("DELETE FROM %1.%2").arg(m_options.schema, tables[i]),
                              {}));
            return {};
        });
        return openAgain(clock);
    }
    std::unique_ptr<StateStore> openAgain(const Clock &clock) override
    {
        m_options.now = [&clock] {
            return QStringLiteral("TIMESTAMP '%1 UTC'")
                .arg(clock.now().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz000")));
        };
        return open();
    }
    int roundsOfAThread() const override { return 2; }

private Q_SLOTS:
    void initTestCase()
    {
        QCOMPARE(m_trino.open(), QString());
        m_options.schema = m_trino.schema();
    }
    void cleanupTestCase() { m_trino.close(); }

    void oneOfManyGetsALease();
    void manyViewsAreWrittenAtOnce();
    void staysSmall();

private:
    std::unique_ptr<IcebergState> open()
    {
        return std::make_unique<IcebergState>(
            m_options, [this]() -> Result<Executor *> { return &m_executor; });
    }
    QString count(const QString &what)
    {
        return m_trino.rows(QStringLiteral("SELECT count(*) FROM ") + what).value(0);
    }

    trino::RealTrino m_trino;
    trino::TrinoExecutor m_executor{trino::realOptions(m_trino.schema())};
    StateOptions m_options{.catalog = QStringLiteral("iceberg"),
                           .schema = {},
                           .believed = std::chrono::milliseconds(0)};
};

void tst_StateTrino::oneOfManyGetsALease()
{
    test::FakeClock clock;
    const auto first = openEmpty(clock);
    const auto problems = allAtOnce(6, [&](int) -> Status {
        IVM_CHECK(open()->acquireLease(leaseOf(QStringLiteral("one"))));
        return {};
    });
    QCOMPARE(problems, QStringList(5, QStringLiteral("lease_held")));
    QCOMPARE(count(m_options.schema + QStringLiteral(".view_leases")), u"1");
}

void tst_StateTrino::manyViewsAreWrittenAtOnce()
{
    test::FakeClock clock;
    const auto store = openEmpty(clock);
    const auto problems = allAtOnce(8, [&](int i) -> Status {
        const QString view = QStringLiteral("view_%1").arg(i);
        IVM_TRY(const QString lease, store->acquireLease(leaseOf(view)));
        IVM_CHECK(store->saveBookmark(bookmarkOf(view, 1)));
        IVM_CHECK(store->saveBookmark(bookmarkOf(view, 2)));
        return store->releaseLease(lease);
    });
    QCOMPARE(problems, QStringList());
    TAKE(const auto all, store->bookmarks());
    QCOMPARE(all.size(), 8);
    QCOMPARE(count(m_options.schema + QStringLiteral(".view_leases")), u"0");
}

void tst_StateTrino::staysSmall()
{
    const auto snapshots = [this] {
        return count(QStringLiteral("%1.\"view_state$snapshots\"").arg(m_options.schema)).toInt();
    };
    QVERIFY(snapshots() > 8);
    m_options.upkeep = {};
    open()->tidy();
    QVERIFY(snapshots() <= 2);
    TAKE(const auto all, open()->bookmarks());
    QCOMPARE(all.size(), 8);
}

QTEST_GUILESS_MAIN(tst_StateTrino)
#include "tst_state_trino.moc"
