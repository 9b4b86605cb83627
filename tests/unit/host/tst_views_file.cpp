#include "framework/host/views_file.h"
#include "tests/support/golden.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), QString()};

QString describe(const ViewSpec &spec)
{
    QStringList out{spec.name, QStringLiteral("target ") + spec.target.text()};
    const auto add = [&](const QString &key, const QString &value) {
        out.append(key + u' ' + value);
    };
    for (const auto &field : spec.targetPartitioning)
        add(QStringLiteral("partitioned by"), field.text());
    if (!spec.sortedBy.isEmpty())
        add(QStringLiteral("sorted by"), spec.sortedBy.join(u','));
    add(QStringLiteral("every"), QString::number(spec.refreshInterval.count()));
    if (spec.targetLag)
        add(QStringLiteral("lag"), QString::number(spec.targetLag->count()));
    if (spec.fullRefreshChunk)
        add(QStringLiteral("chunk"), *spec.fullRefreshChunk);
    if (spec.queryTimeout)
        add(QStringLiteral("timeout"), QString::number(spec.queryTimeout->count()));
    if (!spec.keys.isEmpty())
        add(QStringLiteral("keys"), spec.keys.join(u','));
    if (spec.incremental == Incremental::Required)
        add(QStringLiteral("incremental"), QStringLiteral("required"));
    for (const auto &[key, value] : spec.sessionProperties.asKeyValueRange())
        add(QStringLiteral("session"), key + u'=' + value);
    if (!spec.comment.isEmpty())
        add(QStringLiteral("comment"), spec.comment);
    const auto &care = spec.maintenance;
    if (care != MaintenanceSpec())
        add(QStringLiteral("maintenance"),
            QStringLiteral("%1 optimize %2 expire %3 after %4 orphans %5 after %6 threshold '%7'")
                .arg(care.interval.count())
                .arg(int(care.optimize))
                .arg(int(care.expireSnapshots))
                .arg(care.expireSnapshotsRetention.count())
                .arg(int(care.removeOrphanFiles))
                .arg(care.removeOrphanFilesRetention.count())
                .arg(care.optimizeFileSizeThreshold));
    add(QStringLiteral("query at"),
        QStringLiteral("%1:%2 indent %3: %4")
            .arg(spec.queryPlace.line)
            .arg(spec.queryPlace.column)
            .arg(spec.queryIndent)
            .arg(QString(spec.query).replace(u'\n', QStringLiteral("\\n"))));
    return out.join(QStringLiteral("\n  "));
}

QString outputOf(const QString &input)
{
    const auto root = yaml::parse(input.toUtf8(), QStringLiteral("views.yaml"));
    if (!root)
        return root.error().text();
    const auto file = readViews(*root, kDefaults);
    QStringList out;
    for (const auto &problem : file.problems)
        out.append(problem.text());
    for (const auto &view : file.views) {
        for (const auto &problem : view.problems)
            out.append(problem.text());
        for (const auto &warning : view.warnings)
            out.append(QStringLiteral("warning: ") + warning.text());
        out.append(view.problems.isEmpty()
                       ? describe(view.spec)
                       : QString(view.spec.name + QStringLiteral(" is refused")));
    }
    return out.isEmpty() ? QStringLiteral("no views") : out.join(u'\n');
}

}  // namespace

class tst_ViewsFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void readsOrRefuses_data();
    void readsOrRefuses();
    void entriesAreKeptAsJson_data() { readsOrRefuses_data(); }
    void entriesAreKeptAsJson();
    void aPlaceInTheQueryIsAPlaceInTheFile_data();
    void aPlaceInTheQueryIsAPlaceInTheFile();
    void saysWhatToDoWithoutAFile();
};

void tst_ViewsFile::initTestCase() { test::updateGolden(QStringLiteral("views_file"), outputOf); }

void tst_ViewsFile::readsOrRefuses_data() { test::addGoldenRows(QStringLiteral("views_file")); }

void tst_ViewsFile::readsOrRefuses()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(input), expected);
}

// The word HERE is looked for in the query, and must be found at the same place in the file.
void tst_ViewsFile::aPlaceInTheQueryIsAPlaceInTheFile_data()
{
    QTest::addColumn<QString>("yaml");
    QTest::newRow("a block") << QStringLiteral(
        "views:\n  - name: a\n    query: |\n      SELECT x,\n        HERE\n      FROM t\n");
    QTest::newRow("a block's first line")
        << QStringLiteral("views:\n  - name: a\n    query: |-\n      SELECT HERE\n");
    QTest::newRow("a block after an empty line")
        << QStringLiteral("views:\n- name: a\n  query: |\n\n    SELECT\n      HERE\n");
    QTest::newRow("a block with wide characters")
        << QStringLiteral("views:\n- name: a\n  query: |\n    SELECT '\u00e9\U0001F600', HERE\n");
    QTest::newRow("a plain line") << QStringLiteral("views:\n- name: a\n  query: SELECT HERE\n");
    QTest::newRow("a quoted line")
        << QStringLiteral("views:\n- name: a\n  query: \"SELECT HERE\"\n");
    QTest::newRow("a map in one line")
        << QStringLiteral("views: [{name: a, query: SELECT HERE FROM t}]\n");
    QTest::newRow("a block with Windows line ends")
        << QStringLiteral("views:\r\n- name: a\r\n  query: |\r\n    SELECT\r\n      HERE\r\n");
}

void tst_ViewsFile::aPlaceInTheQueryIsAPlaceInTheFile()
{
    QFETCH(QString, yaml);
    const auto root = yaml::parse(yaml.toUtf8(), QStringLiteral("views.yaml"));
    QVERIFY(root);
    const auto file = readViews(*root, kDefaults);
    QCOMPARE(file.views.size(), 1);
    const ViewSpec &spec = file.views.first().spec;
    const auto lineAndColumn = [](const QString &text) {
        const qsizetype at = text.indexOf(u"HERE");
        const QString before = text.first(at);
        return std::pair(int(before.count(u'\n')) + 1, int(at - before.lastIndexOf(u'\n')));
    };
    const auto [line, column] = lineAndColumn(spec.query);
    const auto [fileLine, fileColumn] = lineAndColumn(yaml);
    QCOMPARE(spec.placeInFile(line, column),
             (Place{QStringLiteral("views.yaml"), fileLine, fileColumn}));
}

void tst_ViewsFile::saysWhatToDoWithoutAFile()
{
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("views.yaml"));
    const auto file = readViewsFile(path, kDefaults);
    QVERIFY(file.views.isEmpty());
    QCOMPARE(file.problems.size(), 1);
    QCOMPARE(file.problems.first().text(),
             QString(path + QStringLiteral(": there is no such file. Write the views into it, or "
                                           "name another file with --views")));
}

// What describes a spec, but for where its query stands.
QString contentOf(const ViewSpec &spec)
{
    return describe(spec).replace(QRegularExpression(QStringLiteral("query at [^:]*:[^:]*: ")),
                                  QString());
}

void tst_ViewsFile::entriesAreKeptAsJson()
{
    QFETCH(QString, input);
    const auto root = yaml::parse(input.toUtf8(), QStringLiteral("views.yaml"));
    if (!root)
        return;
    const auto file = readViews(*root, kDefaults);
    const TableName moved{QStringLiteral("lake"), QStringLiteral("prod"), QString()};
    for (const auto &view : file.views) {
        if (!view.problems.isEmpty())
            continue;
        const auto entry = entryOf(view.spec, kDefaults);
        const QByteArray json = QJsonDocument(entry).toJson(QJsonDocument::Compact);
        const auto again = specOfEntry(json, QStringLiteral("x"), kDefaults);
        QVERIFY2(again, again ? "" : qPrintable(again.error().text()));
        QCOMPARE(contentOf(*again), contentOf(view.spec));
        QCOMPARE(entryOf(*again, kDefaults), entry);
        // In another catalog the same entry is a view there.
        const auto there = specOfEntry(json, QStringLiteral("x"), moved);
        QVERIFY(there);
        if (!entry.contains(u"target_table")) {
            QCOMPARE(there->target.schema, moved.schema);
            QCOMPARE(there->target.table, view.spec.target.table);
        }
    }
}

QTEST_GUILESS_MAIN(tst_ViewsFile)
#include "tst_views_file.moc"
