// Migrations that are generated: the file of each difference, word for word, and that nothing is
// generated where nothing differs.
#include "tests/support/autogenerate_case.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"

#include "framework/migrate/operation_yaml.h"
#include "framework/yaml/node_json.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using namespace ivm::test;

namespace {

QString told(const QList<Error> &problems)
{
    QString out;
    for (const auto &problem : problems)
        out += QStringLiteral("problem: ") + problem.text() + u'\n';
    return out;
}

QString stepsText(const QList<Step> &steps)
{
    QString out;
    for (const auto &step : steps)
        out += yaml::write(stepNode(step.operation, kGenerateDefaults)) + u'\n';
    return out;
}

QString operationsText(const QList<Operation> &operations)
{
    QString out;
    for (const auto &operation : operations)
        out += yaml::write(stepNode(operation, kGenerateDefaults)) + u'\n';
    return out;
}

QString againstSchema(const QByteArray &text)
{
    QFile file(QStringLiteral(IVM_SOURCE_DIR "/share/schema/migration.schema.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(file.fileName()));
    const JsonSchema schema(QJsonDocument::fromJson(file.readAll()).object());
    const auto root = yaml::parse(text, QStringLiteral("generated"));
    return root ? schema.wrong(yaml::jsonOf(*root)) : root.error().text();
}

// Whether the file reads as what was generated; else how not.
QString misread(const Generated &generated, const QByteArray &text)
{
    QList<Error> problems;
    const auto read =
        readMigration(text, QStringLiteral("/0002_generated.yaml"),
                      {.folder = {}, .defaults = kGenerateDefaults, .environment = {}}, problems);
    if (!problems.isEmpty())
        return told(problems);
    if (const QString wrong = againstSchema(text); !wrong.isEmpty())
        return QStringLiteral("its schema refuses it: ") + wrong;
    QList<Operation> up;
    for (const auto &step : generated.upgrade)
        up.append(step.operation);
    if (stepsText(read.upgrade) != operationsText(up))
        return QStringLiteral("another upgrade is read:\n") + stepsText(read.upgrade);
    if (read.downgrade.has_value() != generated.downgrade.has_value())
        return QStringLiteral("another downgrade is read");
    if (read.downgrade && stepsText(*read.downgrade) != operationsText(*generated.downgrade))
        return QStringLiteral("another downgrade is read:\n") + stepsText(*read.downgrade);
    return read.downgrade || read.isDeclaredIrreversible ? QString()
                                                         : QStringLiteral("no downgrade is read");
}

QString outputOf(const QString &input)
{
    const auto generated = AutogenerateCase(input).generate();
    if (!generated.problems.isEmpty())
        return told(generated.problems);
    if (generated.upgrade.isEmpty())
        return QStringLiteral("nothing differs");
    const QByteArray text =
        generatedText(generated, QStringLiteral("What it's about"), kGenerateDefaults);
    return QString::fromUtf8(text) + misread(generated, text);
}

}  // namespace

class tst_Autogenerate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { updateGolden(QStringLiteral("autogenerate"), outputOf); }
    void generates_data() { addGoldenRows(QStringLiteral("autogenerate")); }
    void generates();
    void waitsForWhatIsPending();
    void wantsFilesThatAreAsApplied();
};

void tst_Autogenerate::generates()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(input).trimmed(), expected);
}

namespace {

Result<Generated> generateWith(const MigrationFolder &folder, const MigrationHistory &history)
{
    GivenTables tables;
    return autogenerate({.folder = folder,
                         .history = history,
                         .views = {},
                         .tables = {},
                         .others = {},
                         .defaults = kGenerateDefaults,
                         .applied = tables});
}

MigrationFolder oneFile()
{
    MigrationFolder folder{.path = QStringLiteral("/m"),
                           .line = QStringLiteral("default"),
                           .migrations = {},
                           .problems = {}};
    Migration migration;
    migration.version = 1;
    migration.name = QStringLiteral("first");
    migration.file = QStringLiteral("/m/0001_first.yaml");
    migration.checksum = QStringLiteral("a");
    folder.migrations.append(migration);
    return folder;
}

MigrationHistory applied(const QString &checksum)
{
    MigrationHistory history;
    MigrationRecord record;
    record.version = 1;
    record.line = QStringLiteral("default");
    record.checksum = checksum;
    history.records.append(record);
    return history;
}

}  // namespace

void tst_Autogenerate::waitsForWhatIsPending()
{
    const auto generated = generateWith(oneFile(), {});
    QVERIFY(!generated);
    QCOMPARE(generated.error().code, QStringLiteral("migrations_pending"));
    QCOMPARE(generated.error().text(),
             QStringLiteral("/m/0001_first.yaml: 0001_first is not applied, so what it changes "
                            "would be found again. Apply it first: ivmctl migrate upgrade"));
    const auto after = generateWith(oneFile(), applied(QStringLiteral("a")));
    QVERIFY(after);
    QVERIFY(after->upgrade.isEmpty());
}

void tst_Autogenerate::wantsFilesThatAreAsApplied()
{
    const auto edited = generateWith(oneFile(), applied(QStringLiteral("b")));
    QVERIFY(!edited);
    QCOMPARE(edited.error().code, QStringLiteral("migration_edited"));
    MigrationFolder older;
    older.line = QStringLiteral("default");
    const auto ahead = generateWith(older, applied(QStringLiteral("a")));
    QVERIFY(!ahead);
    QCOMPARE(ahead.error().code, QStringLiteral("catalog_ahead"));
}

QTEST_GUILESS_MAIN(tst_Autogenerate)
#include "tst_autogenerate.moc"
