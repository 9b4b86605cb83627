// The embedded engine against the answers that the real Trino gave (tests/golden/language).
#include "plugins/executor_duckdb/translate/function_table.h"
#include "tests/support/golden.h"
#include "tests/support/language.h"

using namespace ivm;

class tst_LanguageEmbedded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto opened = m_engine.open();
        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().text()));
    }

    // Whatever the tables offer has been asked of the real Trino: a row without a test fails here.
    void everyRowIsAsked_data()
    {
        QTest::addColumn<bool>("asked");
        const duckdb::UsedRows used = usedRows();
        for (const auto rows : {duckdb::functionTable(), duckdb::operatorTable()}) {
            for (const auto &row : rows) {
                QTest::addRow("%s(%s) %s", qPrintable(row.name.toString()),
                              qPrintable(row.parameters.toString()),
                              qPrintable(row.guard.toString()))
                    << used.functions.contains(&row);
            }
        }
        for (const auto &row : duckdb::castTable()) {
            QTest::addRow("cast of %s to %s %s", qPrintable(row.from.toString()),
                          qPrintable(row.to.toString()), qPrintable(row.guard.toString()))
                << used.casts.contains(&row);
        }
    }
    void everyRowIsAsked()
    {
        QFETCH(bool, asked);
        QVERIFY2(asked, "no query of tests/golden/language uses this row");
    }

    void answers_data() { test::addGoldenRows(QStringLiteral("language")); }
    void answers()
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        const auto answer = m_engine.run(input);
        const QString text = test::answerText(answer);
        if (!answer && text != expected)
            qInfo("%s", qPrintable(answer.error().text()));
        QCOMPARE(text, expected);
    }

    // Trino fails when it comes upon the NULL, this engine whenever there is one.
    void nothingWithNullInsideHasAnOrder_data()
    {
        QTest::addColumn<QString>("sql");
        const QStringList texts{
            QStringLiteral("SELECT ROW(1, NULL) < ROW(2, 2)"),
            QStringLiteral("SELECT ARRAY[1, NULL] >= ARRAY[1, 2]"),
            QStringLiteral("SELECT ROW(ARRAY[ROW(1, NULL)]) > ROW(ARRAY[ROW(1, 2)])"),
            QStringLiteral("SELECT min(r) FROM (VALUES (ROW(1, NULL), 1), (ROW(1, 3), 2)) t(r, n)"),
            QStringLiteral("SELECT max(r) FROM (VALUES (ARRAY[NULL], 1), (ARRAY[1], 2)) t(r, n)"),
            QStringLiteral("SELECT n FROM (VALUES (ROW(1, NULL), 1)) t(r, n) ORDER BY r"),
            QStringLiteral("SELECT r FROM (VALUES (ROW(1, NULL), 1)) t(r, n) ORDER BY 1"),
            QStringLiteral("SELECT ROW(1, NULL) UNION ALL SELECT ROW(1, 1) ORDER BY 1")};
        for (const auto &text : texts)
            QTest::addRow("%s", qPrintable(text)) << text;
    }
    void nothingWithNullInsideHasAnOrder()
    {
        QFETCH(QString, sql);
        const auto answer = m_engine.run(sql);
        QVERIFY(!answer);
        QVERIFY2(answer.error().text().contains(
                     u"arrays and rows with NULL inside have no order in the embedded engine"),
                 qPrintable(answer.error().text()));
    }

    // Trino puts U+FFFD for them.
    void bytesThatAreNoText()
    {
        const auto answer = m_engine.run(QStringLiteral("SELECT from_utf8(X'61FF62')"));
        QVERIFY(!answer);
        QVERIFY2(answer.error().text().contains(
                     u"bytes that are not UTF-8 cannot be read as text by the embedded engine"),
                 qPrintable(answer.error().text()));
    }

private:
    static duckdb::UsedRows usedRows()
    {
        duckdb::UsedRows used;
        const QDir folder(QStringLiteral(IVM_SOURCE_DIR "/tests/golden/language"));
        for (const QString &file : folder.entryList({QStringLiteral("*.txt")}, QDir::Files)) {
            for (const auto &one : test::readGolden(folder.filePath(file))) {
                const auto translated = test::EmbeddedLanguage::translate(one.input);
                if (!translated)
                    continue;
                used.functions.unite(translated->used.functions);
                used.casts.unite(translated->used.casts);
            }
        }
        return used;
    }

    test::EmbeddedLanguage m_engine;
};

QTEST_GUILESS_MAIN(tst_LanguageEmbedded)
#include "tst_language_embedded.moc"
