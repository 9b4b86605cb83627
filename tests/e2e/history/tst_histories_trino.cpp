#include "tests/e2e/history/history_test.h"

#include <QTemporaryDir>
#include <QUuid>

using namespace ivm;
using namespace ivm::test;

class tst_HistoriesTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyViewEqualsItsQuery();

private:
    // What carries the statements differs over JDBC, not what they say.
    static HistoryBudget budget()
    {
        const bool overJdbc = qEnvironmentVariable("IVM_TEST_EXECUTOR") == u"jdbc";
        if (isNightly())
            return overJdbc ? HistoryBudget{6, 10, 200} : HistoryBudget{20, 10, 800};
        return overJdbc ? HistoryBudget{1, 3, 20} : HistoryBudget{2, 3, 50};
    }
};

void tst_HistoriesTrino::everyViewEqualsItsQuery()
{
    QTemporaryDir folder;
    const QString schema =
        QStringLiteral("histories_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
    auto host = TestHost::trino(QStringLiteral("iceberg"), schema,
                                folder.filePath(QStringLiteral("state.db")));
    const auto session = host.executor().openSession({}, Call{});
    QVERIFY(session);
    QVERIFY(execute(**session, QStringLiteral("CREATE SCHEMA %1").arg(schema), {}));
    playHistories({.services = host.services(),
                   .defaults = {QStringLiteral("iceberg"), schema, {}},
                   .others = {},
                   .formatV1 = FormatV1::Sometimes,
                   .writesV1 = true},
                  budget());
    QVERIFY(execute(**session, QStringLiteral("DROP SCHEMA %1 CASCADE").arg(schema), {}));
}

QTEST_GUILESS_MAIN(tst_HistoriesTrino)
#include "tst_histories_trino.moc"
