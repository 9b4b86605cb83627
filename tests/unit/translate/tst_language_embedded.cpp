// The embedded engine against the answers that the real Trino gave (tests/golden/language).
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

private:
    test::EmbeddedLanguage m_engine;
};

QTEST_GUILESS_MAIN(tst_LanguageEmbedded)
#include "tst_language_embedded.moc"
