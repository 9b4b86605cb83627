#include "framework/sqlexec/merge.h"

#include <QFile>
#include <QTest>

using namespace ivm;

namespace {

const TableName kTarget{QStringLiteral("iceberg"), QStringLiteral("main"),
                        QStringLiteral("hourly")};
const TableHead kHead{QStringLiteral("file:///w/hourly"),
                      QStringLiteral("file:///w/hourly/metadata/00003-a.metadata.json"), 7};

OutputColumn column(const char *name, const char *type, ColumnClass columnClass)
{
    return {QString::fromUtf8(name), parseType(QString::fromUtf8(type)).value_or(Type()),
            columnClass};
}

Replacement hourly()
{
    return {kTarget,
            {column("origin", "varchar(3)", ColumnClass::Key),
             column("hour_ts", "timestamp(6)", ColumnClass::Key),
             column("flights", "bigint", ColumnClass::Exact),
             column("avg_delay", "double", ColumnClass::Float),
             column("p50", "double", ColumnClass::Approximate)},
            QStringLiteral("SELECT origin, date_trunc('hour', date), count(*),\n  avg(delay), "
                           "approx_percentile(delay, 0.5)\n"
                           "FROM flights GROUP BY 1, 2 -- all of them")};
}

BucketFilter january()
{
    return {QStringLiteral("hour_ts"),
            {{QStringLiteral("TIMESTAMP '2001-01-01 00:00:00'"),
              QStringLiteral("TIMESTAMP '2001-02-01 00:00:00'")}},
            true};
}

// The text of golden/<name>.sql; IVM_UPDATE_GOLDEN=1 writes it.
QString golden(const QString &name, const QString &actual)
{
    QFile file(QStringLiteral(IVM_SOURCE_DIR "/tests/unit/sqlexec/golden/") + name +
               QStringLiteral(".sql"));
    if (qEnvironmentVariableIsSet("IVM_UPDATE_GOLDEN") && file.open(QIODevice::WriteOnly)) {
        file.write(actual.toUtf8() + '\n');
        file.close();
    }
    if (!file.open(QIODevice::ReadOnly))
        return QStringLiteral("cannot read ") + file.fileName();
    return QString::fromUtf8(file.readAll()).chopped(1);
}

}  // namespace

class tst_Merge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rendersWholeStatements_data();
    void rendersWholeStatements();
    void rendersPlainSql();
    void saysWhereTheQueryStands();
    void refusesWhatMakesNoSense_data();
    void refusesWhatMakesNoSense();
};

void tst_Merge::rendersWholeStatements_data()
{
    QTest::addColumn<Change>("change");
    QTest::newRow("ranges") << Change(ReplaceRanges{hourly(), january()});
    QTest::newRow("all") << Change(ReplaceAll{hourly()});

    Replacement total = hourly();
    total.columns = {column("flights", "bigint", ColumnClass::Exact),
                     column("max_delay", "double", ColumnClass::Exact)};
    total.query = QStringLiteral("SELECT count(*), max(delay) FROM flights");
    QTest::newRow("without_keys") << Change(ReplaceAll{total});

    Replacement distinct = hourly();
    distinct.columns = {column("a \"b", "double", ColumnClass::Key),
                        column("r", "row(\"order\" varbinary)", ColumnClass::Key)};
    distinct.query = QStringLiteral("SELECT DISTINCT x, y FROM z");
    QTest::newRow("only_keys") << Change(ReplaceAll{distinct});
}

void tst_Merge::rendersWholeStatements()
{
    QFETCH(Change, change);
    const auto statement = mergeSql(change, kHead);
    QVERIFY2(statement, qPrintable(statement ? QString() : statement.error().text()));
    QCOMPARE(statement->sql, golden(QString::fromUtf8(QTest::currentDataTag()), statement->sql));
}

void tst_Merge::rendersPlainSql()
{
    const auto statement = mergeSql(ReplaceRanges{hourly(), january()}, kHead, SqlDialect::Plain);
    QVERIFY2(statement, qPrintable(statement ? QString() : statement.error().text()));
    QCOMPARE(statement->sql, golden(QStringLiteral("plain"), statement->sql));
}

void tst_Merge::saysWhereTheQueryStands()
{
    const auto statement = mergeSql(ReplaceRanges{hourly(), january()}, kHead);
    QVERIFY(statement);
    const auto lines = statement->sql.split(u'\n');
    QVERIFY(lines.at(statement->queryLine - 1).startsWith(u"SELECT origin, date_trunc"));
    QCOMPARE(statement->queryLines, 3);
    QCOMPARE(statement->placeInQuery({{}, statement->queryLine + 1, 5}),
             std::optional(Place{{}, 2, 5}));
    QCOMPARE(statement->placeInQuery({{}, statement->queryLine + 3, 5}), std::nullopt);
    QCOMPARE(statement->placeInQuery({{}, 1, 1}), std::nullopt);
}

void tst_Merge::refusesWhatMakesNoSense_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("message");
    Replacement none = hourly();
    none.columns.clear();
    QTest::newRow("no columns") << Change(ReplaceAll{none})
                                << "change of iceberg.main.hourly: it has no columns";
    Replacement blank = hourly();
    blank.query = QStringLiteral(" \n");
    QTest::newRow("no query") << Change(ReplaceAll{blank})
                              << "change of iceberg.main.hourly: it has no query";
    BucketFilter filter = january();
    filter.column = QStringLiteral("flights");
    QTest::newRow("the bucket is no key")
        << Change(ReplaceRanges{hourly(), filter})
        << "change of iceberg.main.hourly: its bucket 'flights' is not one of the keys";
    Replacement json = hourly();
    json.columns[2].type = Type{.kind = TypeKind::Json};
    QTest::newRow("a type no table holds")
        << Change(ReplaceAll{json})
        << "column flights: a column of type json cannot be stored in an Iceberg table";
}

void tst_Merge::refusesWhatMakesNoSense()
{
    QFETCH(Change, change);
    QFETCH(QString, message);
    const auto statement = mergeSql(change, kHead);
    QVERIFY(!statement);
    QCOMPARE(statement.error().message, message);
}

QTEST_GUILESS_MAIN(tst_Merge)
#include "tst_merge.moc"
