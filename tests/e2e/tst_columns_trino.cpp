// Columns that come and go without a snapshot, under a view that Trino keeps: FOR VERSION AS OF
// would show them as they were.
#include "framework/refresh/verify.h"
#include "framework/view/shape.h"
#include "tests/support/test_host.h"

#include <QTemporaryDir>
#include <QUuid>

using namespace ivm;
using namespace ivm::test;

class tst_ColumnsTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void followsColumnsThatComeAndGo();
};

void tst_ColumnsTrino::followsColumnsThatComeAndGo()
{
    QTemporaryDir folder;
    const QString schema =
        QStringLiteral("columns_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
    auto host = TestHost::trino(QStringLiteral("iceberg"), schema,
                                folder.filePath(QStringLiteral("state.db")));
    auto services = host.services();
    const auto session = host.executor().openSession({});
    QVERIFY(session);
    const TableName defaults{QStringLiteral("iceberg"), schema, {}};
    const auto viewOf = [&](const QString &name, const QString &text) {
        View view;
        view.spec.name = name;
        view.spec.target = {defaults.catalog, schema, name};
        view.spec.query = QString(text).replace(u'@', schema);
        view.shape = *shapeOf(view.spec, defaults);
        return view;
    };
    const View hourly = viewOf(QStringLiteral("hourly"),
                               QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, sum(x) AS "
                                              "total FROM @.ev GROUP BY 1, 2"));
    const View inside = viewOf(QStringLiteral("inside"),
                               QStringLiteral("SELECT r.f AS f, date_trunc('hour', ts) AS h, "
                                              "count(*) AS n FROM @.rows GROUP BY 1, 2"));

    const auto run = [&](const QString &sql) {
        const auto done = execute(**session, QString(sql).replace(u'@', schema), {});
        QVERIFY2(done, done ? "" : qPrintable(sql + QStringLiteral(": ") + done.error().text()));
    };
    // The action of a refresh, after which the target is its query.
    const auto refreshed = [&](const View &view) -> QString {
        const auto outcomes = Refresher(services).refresh({view}, RefreshMode::IfChanged, {});
        if (!outcomes)
            return outcomes.error().text();
        if (outcomes->front().error)
            return outcomes->front().error->text();
        const QString order = QStringLiteral(" ORDER BY 1, 2");
        const auto wanted = query(**session, view.spec.query + order, {});
        const auto stored =
            query(**session,
                  QStringLiteral("SELECT * FROM %1").arg(view.spec.target.quoted()) + order, {});
        if (!wanted || !stored || wanted->rows.empty())
            return QStringLiteral("cannot be compared");
        if (wanted->rows != stored->rows)
            return actionName(outcomes->front().action) + QStringLiteral(", and differs");
        const auto verified = verifyView(services, view, {}, {});
        if (!verified)
            return verified.error().text();
        if (!verified->equal)
            return QStringLiteral("verify says that it differs");
        return actionName(outcomes->front().action);
    };

    run(QStringLiteral("CREATE SCHEMA @"));
    run(QStringLiteral("CREATE TABLE @.ev (ts timestamp(6), k varchar, x bigint)"));
    run(QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2024-01-01 10:00:00', 'a', 1), "
                       "(TIMESTAMP '2024-01-02 10:00:00', 'b', 2)"));
    QCOMPARE(refreshed(hourly), QStringLiteral("rebuild"));

    run(QStringLiteral("ALTER TABLE @.ev DROP COLUMN x"));
    run(QStringLiteral("ALTER TABLE @.ev ADD COLUMN x bigint"));
    QCOMPARE(refreshed(hourly), QStringLiteral("diff"));
    QCOMPARE(refreshed(hourly), QStringLiteral("none"));
    // The snapshot still is the one that had the old column.
    run(QStringLiteral("DELETE FROM @.hourly WHERE k = 'a'"));
    QCOMPARE(refreshed(hourly), QStringLiteral("incremental"));

    // Trino 476 fails inside when it is asked for the entries of a table that lost a column: all is
    // recomputed then.
    run(QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2024-01-01 10:30:00', 'a', 5)"));
    QCOMPARE(refreshed(hourly), QStringLiteral("diff"));
    run(QStringLiteral("ALTER TABLE @.hourly DROP COLUMN total"));
    run(QStringLiteral("ALTER TABLE @.hourly ADD COLUMN total bigint"));
    QCOMPARE(refreshed(hourly), QStringLiteral("diff"));

    run(QStringLiteral("CREATE TABLE @.rows (r row(f integer), ts timestamp(6))"));
    run(QStringLiteral("INSERT INTO @.rows VALUES (ROW(1), TIMESTAMP '2024-01-01 00:00:00')"));
    QCOMPARE(refreshed(inside), QStringLiteral("rebuild"));
    run(QStringLiteral("ALTER TABLE @.rows ADD COLUMN r.g integer"));
    run(QStringLiteral("ALTER TABLE @.rows DROP COLUMN r.f"));
    run(QStringLiteral("ALTER TABLE @.rows ADD COLUMN r.f integer"));
    QCOMPARE(refreshed(inside), QStringLiteral("diff"));
    run(QStringLiteral("DROP SCHEMA @ CASCADE"));
}

QTEST_GUILESS_MAIN(tst_ColumnsTrino)
#include "tst_columns_trino.moc"
