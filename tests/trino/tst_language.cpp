// The real Trino is the referee of the language: each query of tests/golden/language gives the same
// types and values there as on the embedded engine, and as the file says. IVM_UPDATE_GOLDEN=1 takes
// Trino's word into the files.
#include "plugins/executor_duckdb/translate/zone.h"
#include "tests/support/golden.h"
#include "tests/support/language.h"
#include "tests/trino/real_trino.h"

using namespace ivm;

namespace {

// Trino takes a few faults of a statement for its own (an overflow when the smallest integer is
// divided by -1).
Result<Rows> answer(Session &session, const QString &sql)
{
    auto rows = ivm::query(session, sql, Call{});
    for (const auto &fault : {QStringLiteral("exceeds MAX_INT"), QStringLiteral("overflow")}) {
        if (!rows && rows.error().message.contains(fault))
            rows.error().kind = ErrorKind::Invalid;
    }
    return rows;
}

// Rows in the order of their texts, which both engines' rows are brought into.
std::vector<Row> sorted(std::vector<Row> rows)
{
    std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) {
        QString x;
        QString y;
        for (const auto &value : a)
            x += test::valueText(value) + u'|';
        for (const auto &value : b)
            y += test::valueText(value) + u'|';
        return x < y;
    });
    return rows;
}

}  // namespace

class tst_Language : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QString missing = m_trino.open();
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        const auto opened = m_embedded.open();
        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().text()));
        test::updateGolden(QStringLiteral("language"), [this](const QString &sql) {
            return test::answerText(answer(m_trino.session(), sql));
        });
    }

    void bothEnginesAgree_data() { test::addGoldenRows(QStringLiteral("language")); }
    void bothEnginesAgree()
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        const auto trino = answer(m_trino.session(), input);
        const auto embedded = m_embedded.run(input);
        QCOMPARE(test::answerText(trino), expected);
        if (!trino || !embedded) {
            QVERIFY2(trino.has_value() == embedded.has_value(),
                     qPrintable(embedded ? trino.error().text() : embedded.error().text()));
            QCOMPARE(int(embedded.error().kind), int(ErrorKind::Invalid));
            return;
        }
        QCOMPARE(embedded->columns.size(), trino->columns.size());
        for (qsizetype i = 0; i < trino->columns.size(); ++i)
            QCOMPARE(embedded->columns[i].type.text(), trino->columns[i].type.text());
        QCOMPARE(embedded->rows.size(), trino->rows.size());
        const auto theirs = sorted(trino->rows);
        const auto ours = sorted(embedded->rows);
        for (size_t row = 0; row < theirs.size(); ++row) {
            for (size_t i = 0; i < theirs[row].size(); ++i) {
                QVERIFY2(
                    ours[row][i] == theirs[row][i],
                    qPrintable(
                        QStringLiteral("row %1, column %2: Trino has %3, the embedded engine %4")
                            .arg(row)
                            .arg(i)
                            .arg(test::valueText(theirs[row][i]), test::valueText(ours[row][i]))));
            }
        }
    }

    // The embedded engine takes the zones whose history since 1970 both engines tell alike.
    void zonesAreToldAlike_data()
    {
        QTest::addColumn<QStringList>("zones");
        const QStringList zones = duckdb::knownZones();
        constexpr qsizetype kAtOnce = 60;
        for (qsizetype i = 0; i < zones.size(); i += kAtOnce)
            QTest::newRow(qPrintable(zones[i])) << zones.mid(i, kAtOnce);
    }
    void zonesAreToldAlike()
    {
        QFETCH(QStringList, zones);
        QStringList sums;
        for (const QString &zone : zones) {
            sums.append(QStringLiteral("sum(n * (to_unixtime(CAST(v AT TIME ZONE '%1' AS "
                                       "timestamp(0))) - to_unixtime(v)))")
                            .arg(zone));
        }
        // Three days of each month to 2049, each with a factor of its own.
        QStringList years;
        for (int year = 0; year < 80; ++year)
            years.append(QString::number(year));
        const QString moments =
            QStringLiteral("SELECT y * 36 + m * 3 + d AS n, date_add('day', d * 13, "
                           "date_add('month', y * 12 + m, TIMESTAMP '1970-01-01 12:00:00')) AS v "
                           "FROM (VALUES %1) years(y), (VALUES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
                           "11) months(m), (VALUES 0, 1, 2) days(d)")
                .arg(years.join(QStringLiteral(", ")));
        const QString sql = QStringLiteral("SELECT %1 FROM (%2) moments")
                                .arg(sums.join(QStringLiteral(", ")), moments);
        const auto trino = answer(m_trino.session(), sql);
        const auto embedded = m_embedded.run(sql);
        QCOMPARE(test::answerText(embedded), test::answerText(trino));
        QVERIFY2(embedded, embedded ? "" : qPrintable(embedded.error().text()));
    }

    void cleanupTestCase() { m_trino.close(); }

private:
    trino::RealTrino m_trino;
    test::EmbeddedLanguage m_embedded;
};

QTEST_GUILESS_MAIN(tst_Language)
#include "tst_language.moc"
