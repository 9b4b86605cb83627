// PyIceberg reads every table that the embedded engine changed, and writes to it.
#include "plugins/executor_duckdb/executor.h"
#include "plugins/executor_duckdb/session.h"
#include "tests/interop/iceberg/peer.h"

#include <QTemporaryDir>

using namespace ivm;
using namespace ivm::test;

class tst_InteropDdlPyiceberg : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void itReadsEveryChange();

private:
    QString ours(const QString &sql)
    {
        duckdb::EmbeddedSession session(*m_executor);
        const auto rows = query(session, sql, {});
        if (!rows)
            return rows.error().text();
        QStringList lines;
        for (const auto &row : rows->rows) {
            QStringList values;
            for (const auto &value : row)
                values.append(value.text());
            lines.append(values.join(u'|'));
        }
        return lines.join(u' ');
    }
    QJsonObject ask(const QString &what, const QJsonObject &arguments)
    {
        const auto answer = m_peer.ask(what, arguments);
        if (answer.contains(u"error"))
            QTest::qFail(qPrintable(answer.value(u"error").toString()), __FILE__, __LINE__);
        return answer;
    }
    // The columns, the partition fields, and the ids of the rows that it reads.
    QString look(const QString &table)
    {
        const auto seen = ask(QStringLiteral("look"), {{QStringLiteral("table"), table}});
        const auto textsOf = [&](QStringView member) {
            QStringList texts;
            const auto list = seen.value(member).toArray();
            for (const auto &item : list)
                texts.append(item.isArray() ? QString::number(item.toArray()[0].toInteger())
                                            : item.toString());
            return texts.join(u' ');
        };
        return QStringList{textsOf(u"columns"), textsOf(u"spec"), textsOf(u"rows")}.join(
            QStringLiteral(" / "));
    }

    QTemporaryDir m_dir;
    std::unique_ptr<duckdb::EmbeddedExecutor> m_executor;
    Peer m_peer;
};

void tst_InteropDdlPyiceberg::initTestCase()
{
    m_executor = std::make_unique<duckdb::EmbeddedExecutor>(
        duckdb::ExecutorOptions{.warehouse = m_dir.path()});
    const QString problem = m_peer.start(m_dir.path());
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
}

void tst_InteropDdlPyiceberg::itReadsEveryChange()
{
    const QList<QPair<QString, QString>> steps{
        {QStringLiteral("CREATE TABLE t WITH (partitioning = ARRAY['day(ts)']) AS SELECT BIGINT "
                        "'1' AS id, TIMESTAMP '2001-01-01 00:00:00' AS ts, 'a' AS part"),
         QStringLiteral("id ts part / ts_day=day / 1")},
        {QStringLiteral("ALTER TABLE t ADD COLUMN n integer COMMENT 'en'"),
         QStringLiteral("id ts part n / ts_day=day / 1")},
        {QStringLiteral("INSERT INTO t VALUES (2, NULL, 'b', 2)"),
         QStringLiteral("id ts part n / ts_day=day / 1 2")},
        {QStringLiteral("ALTER TABLE t ALTER COLUMN n SET DATA TYPE bigint"),
         QStringLiteral("id ts part n / ts_day=day / 1 2")},
        {QStringLiteral("ALTER TABLE t RENAME COLUMN n TO m"),
         QStringLiteral("id ts part m / ts_day=day / 1 2")},
        {QStringLiteral("ALTER TABLE t ADD COLUMN r row(a integer, b array(varchar))"),
         QStringLiteral("id ts part m r / ts_day=day / 1 2")},
        {QStringLiteral("ALTER TABLE t ADD COLUMN r.c bigint"),
         QStringLiteral("id ts part m r / ts_day=day / 1 2")},
        {QStringLiteral("ALTER TABLE t DROP COLUMN r"),
         QStringLiteral("id ts part m / ts_day=day / 1 2")},
        {QStringLiteral("ALTER TABLE t DROP COLUMN m"),
         QStringLiteral("id ts part / ts_day=day / 1 2")},
        {QStringLiteral("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['part'], sorted_by = "
                        "ARRAY['id DESC']"),
         QStringLiteral("id ts part / part=identity / 1 2")},
        {QStringLiteral("INSERT INTO t VALUES (3, NULL, 'c')"),
         QStringLiteral("id ts part / part=identity / 1 2 3")},
        {QStringLiteral("COMMENT ON TABLE t IS 'table'"),
         QStringLiteral("id ts part / part=identity / 1 2 3")},
        {QStringLiteral("ALTER TABLE t SET PROPERTIES partitioning = DEFAULT"),
         QStringLiteral("id ts part /  / 1 2 3")},
        {QStringLiteral("CREATE OR REPLACE TABLE t AS SELECT id + 1 AS id, ts, part FROM t"),
         QStringLiteral("id ts part /  / 2 3 4")},
        {QStringLiteral("ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s')"),
         QStringLiteral("id ts part /  / 2 3 4")},
    };
    for (const auto &[statement, seen] : steps) {
        QCOMPARE(ours(statement), QString());
        QCOMPARE(look(QStringLiteral("main.t")), seen);
    }
    QCOMPARE(ours(QStringLiteral("ALTER TABLE t RENAME TO u")), QString());
    ask(QStringLiteral("append"),
        {{QStringLiteral("table"), QStringLiteral("main.u")},
         {QStringLiteral("rows"), QJsonArray{QJsonArray{9, 10, QStringLiteral("z")}}}});
    QCOMPARE(ours(QStringLiteral("SELECT id, part FROM u ORDER BY id")),
             QStringLiteral("2|a 3|b 4|c 9|z"));
    ask(QStringLiteral("rename_column"), {{QStringLiteral("table"), QStringLiteral("main.u")},
                                          {QStringLiteral("column"), QStringLiteral("part")},
                                          {QStringLiteral("to"), QStringLiteral("other")}});
    QCOMPARE(ours(QStringLiteral("ALTER TABLE u ADD COLUMN more bigint")), QString());
    QCOMPARE(ours(QStringLiteral("SELECT id, other, more FROM u WHERE id = 9")),
             QStringLiteral("9|z|NULL"));
}

QTEST_GUILESS_MAIN(tst_InteropDdlPyiceberg)
#include "tst_interop_ddl_pyiceberg.moc"
