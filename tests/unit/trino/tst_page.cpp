#include "plugins/trino_sql/page.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

class tst_Page : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsAWholeAnswer();
    void readsAnError();
    void refusesOtherAnswers_data();
    void refusesOtherAnswers();
    void mapsErrorsToKinds_data();
    void mapsErrorsToKinds();
    void knowsWhatAFailureLeaves_data();
    void knowsWhatAFailureLeaves();
};

void tst_Page::readsAWholeAnswer()
{
    const auto page = readPage(
        R"({"id":"q","nextUri":"http://h:1/x","columns":[{"name":"n","type":"bigint"}],
        "data":[[1],[null]],
        "updateType":"INSERT","updateCount":9007199254740993,
        "stats":{"state":"RUNNING","processedRows":9007199254740993,"processedBytes":5,
        "rootStage":{"subStages":[]}}})");
    QVERIFY2(page, qPrintable(page ? QString() : page.error().text()));
    QCOMPARE(page->id, QStringLiteral("q"));
    QCOMPARE(page->nextUri, QUrl(QStringLiteral("http://h:1/x")));
    QCOMPARE(page->columns->at(0).type.text(), QStringLiteral("bigint"));
    QCOMPARE(page->data.size(), size_t(2));
    QCOMPARE(page->updateType, QStringLiteral("INSERT"));
    QCOMPARE(page->updateCount, std::optional<qint64>(9007199254740993));
    QCOMPARE(page->processedRows, 9007199254740993);
    QCOMPARE(page->processedBytes, 5);
    QCOMPARE(page->state, QStringLiteral("RUNNING"));
}

void tst_Page::readsAnError()
{
    const auto page = readPage(
        R"({"id":"q","error":{"message":"line 3:7: Table 'a.b.c' does not exist","errorCode":46,
        "errorName":"TABLE_NOT_FOUND","errorType":"USER_ERROR","errorLocation":{"lineNumber":3,
        "columnNumber":7}}})");
    QVERIFY(page && page->error);
    const Error error = page->error->toError();
    QCOMPARE(error.kind, ErrorKind::NotFound);
    QCOMPARE(error.code, QStringLiteral("table_not_found"));
    QCOMPARE(error.message, QStringLiteral("Table 'a.b.c' does not exist"));
    QCOMPARE(error.place, (Place{{}, 3, 7}));
}

void tst_Page::refusesOtherAnswers_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *bytes, const char *message) {
        QTest::newRow(name) << QByteArray(bytes) << QString::fromUtf8(message);
    };
    row("spooled results", R"({"id":"q","data":{"encoding":"json","segments":[]}})",
        "Trino spools its results, which was not asked for");
    row("a web page", "<html>", "Trino's answer is not JSON: expected a value at byte 0");
    row("a list", "[]", "Trino's answer: \"id\" is missing");
    row("no id", "{}", "Trino's answer: \"id\" is missing");
    row("a relative next address", R"({"id":"q","nextUri":"/v1/x"})",
        "Trino's answer: \"nextUri\" is not a URL");
    row("a number for the next address", R"({"id":"q","nextUri":1})",
        "Trino's answer: \"nextUri\" is not a URL");
    row("columns that are no list", R"({"id":"q","columns":{}})",
        "Trino's answer: \"columns\" is not a list");
    row("a column without a type", R"({"id":"q","columns":[{"name":"a"}]})",
        "Trino's answer: a column has no name or no type");
    row("a column of an unknown type",
        R"({"id":"q","columns":[{"name":"a","type":"HyperLogLog"}]})",
        "column a has type HyperLogLog, which is not handled");
    row("data that are no list", R"({"id":"q","data":{"x":1}})",
        "Trino's answer: \"data\" is not a list of rows");
}

void tst_Page::refusesOtherAnswers()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const auto page = readPage(bytes);
    QVERIFY(!page);
    QCOMPARE(page.error().message, message);
}

void tst_Page::mapsErrorsToKinds_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("type");
    QTest::addColumn<ErrorKind>("kind");
    const auto row = [](const char *name, const char *type, ErrorKind kind) {
        QTest::addRow("%s (%s)", name, type)
            << QString::fromUtf8(name) << QString::fromUtf8(type) << kind;
    };
    row("SYNTAX_ERROR", "USER_ERROR", ErrorKind::Invalid);
    row("COLUMN_NOT_FOUND", "USER_ERROR", ErrorKind::Invalid);
    row("PERMISSION_DENIED", "USER_ERROR", ErrorKind::Invalid);
    row("SCHEMA_NOT_FOUND", "USER_ERROR", ErrorKind::NotFound);
    row("TABLE_ALREADY_EXISTS", "USER_ERROR", ErrorKind::AlreadyExists);
    row("NOT_SUPPORTED", "USER_ERROR", ErrorKind::Unsupported);
    row("ICEBERG_COMMIT_ERROR", "EXTERNAL", ErrorKind::Conflict);
    row("ICEBERG_INVALID_METADATA", "EXTERNAL", ErrorKind::Corrupt);
    row("ICEBERG_CATALOG_ERROR", "EXTERNAL", ErrorKind::Unavailable);
    row("EXCEEDED_TIME_LIMIT", "INSUFFICIENT_RESOURCES", ErrorKind::Timeout);
    row("QUERY_QUEUE_FULL", "INSUFFICIENT_RESOURCES", ErrorKind::Unavailable);
    row("ADMINISTRATIVELY_KILLED", "USER_ERROR", ErrorKind::Unavailable);
    row("GENERIC_INTERNAL_ERROR", "INTERNAL_ERROR", ErrorKind::Unavailable);
    row("SOMETHING_NEW", "USER_ERROR", ErrorKind::Invalid);
    row("", "", ErrorKind::Unavailable);
}

void tst_Page::mapsErrorsToKinds()
{
    QFETCH(QString, name);
    QFETCH(QString, type);
    QFETCH(ErrorKind, kind);
    const Error error = TrinoError{
        .message = QStringLiteral("m"),
        .name = name,
        .type = type,
        .place = {}}.toError();
    QCOMPARE(error.kind, kind);
    QCOMPARE(error.code, name.isEmpty() ? errorKindName(kind) : name.toLower());
}

void tst_Page::knowsWhatAFailureLeaves_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("message");
    QTest::addColumn<bool>("nothing");
    QTest::addColumn<bool>("doubt");
    const auto row = [](const char *name, const char *type, const char *message, bool nothing,
                        bool doubt) {
        QTest::addRow("%s: %s", name, message) << QString::fromUtf8(name) << QString::fromUtf8(type)
                                               << QString::fromUtf8(message) << nothing << doubt;
    };
    row("DIVISION_BY_ZERO", "USER_ERROR", "Division by zero", true, false);
    row("ADMINISTRATIVELY_KILLED", "USER_ERROR", "killed", false, true);
    row("USER_CANCELED", "USER_ERROR", "Query was canceled", false, true);
    row("EXCEEDED_TIME_LIMIT", "INSUFFICIENT_RESOURCES", "too long", false, true);
    row("ICEBERG_COMMIT_ERROR", "EXTERNAL", "Found conflicting files", false, false);
    row("ICEBERG_COMMIT_ERROR", "EXTERNAL",
        "Cannot determine whether the commit was successful or not", false, true);
    row("GENERIC_INTERNAL_ERROR", "INTERNAL_ERROR", "a bug", false, false);
}

void tst_Page::knowsWhatAFailureLeaves()
{
    QFETCH(QString, name);
    QFETCH(QString, type);
    QFETCH(QString, message);
    QFETCH(bool, nothing);
    QFETCH(bool, doubt);
    const TrinoError error{.message = message, .name = name, .type = type, .place = {}};
    QCOMPARE(error.leavesNothing(), nothing);
    QCOMPARE(error.leavesDoubt(), doubt);
}

QTEST_GUILESS_MAIN(tst_Page)
#include "tst_page.moc"
