// The JSON Schemas that editors check files by: they accept what the readers accept, refuse what
// those refuse as far as a schema can know, and have the same operations and fields.
#include "framework/host/views_file.h"
#include "framework/migrate/migration_file.h"
#include "framework/migrate/table_file.h"
#include "framework/yaml/node_json.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"

#include <QJsonDocument>

using namespace ivm;
using namespace ivm::migrate;
using namespace ivm::test;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), QString()};

enum class Kind { Migration, Views, Table };

QJsonObject schemaOf(Kind kind)
{
    const QString name = kind == Kind::Migration ? QStringLiteral("migration")
                         : kind == Kind::Views   ? QStringLiteral("views")
                                                 : QStringLiteral("table");
    QFile file(QStringLiteral(IVM_SOURCE_DIR "/share/schema/%1.schema.json").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(file.fileName()));
    QJsonParseError wrong;
    const auto document = QJsonDocument::fromJson(file.readAll(), &wrong);
    if (wrong.error != QJsonParseError::NoError)
        qFatal("%s: %s", qPrintable(file.fileName()), qPrintable(wrong.errorString()));
    return document.object();
}

QList<Error> problemsOf(Kind kind, const QByteArray &text)
{
    const QString file = QStringLiteral("0001_case.yaml");
    QList<Error> problems;
    if (kind == Kind::Migration) {
        const FolderRequest request{
            .folder = {},
            .defaults = kDefaults,
            .environment = {{QStringLiteral("STAGE"), QStringLiteral("test")}}};
        (void)readMigration(text, file, request, problems);
    } else if (kind == Kind::Table) {
        (void)readTableFile(text, file, kDefaults, problems);
    } else if (const auto root = yaml::parse(text, file); root) {
        const auto views = readViews(*root, kDefaults);
        problems = views.problems;
        for (const auto &view : views.views)
            problems += view.problems;
    } else {
        problems.append(root.error());
    }
    return problems;
}

// What only a reader knows: what is inside of texts, two of one name, the environment, quotes.
bool isBeyondSchemas(const Error &problem)
{
    static const QStringList words{QStringLiteral("is not declared"),
                                   QStringLiteral("the environment has no"),
                                   QStringLiteral("holds more than letters"),
                                   QStringLiteral("is not a type"),
                                   QStringLiteral("is not a table name"),
                                   QStringLiteral("is not a partition transform"),
                                   QStringLiteral("is not a list. Write"),
                                   QStringLiteral("is there twice"),
                                   QStringLiteral("is given twice"),
                                   QStringLiteral("two columns"),
                                   QStringLiteral("which it does not have"),
                                   QStringLiteral("the lines of 'query'"),
                                   QStringLiteral("sql: 'statement'"),
                                   QStringLiteral("99999999999999999999d"),
                                   QStringLiteral("36501d")};
    return std::ranges::any_of(words, [&](const QString &word) {
        return QString(problem.message + QStringLiteral(". ") + problem.hint).contains(word);
    });
}

// Of a golden case the files of one kind: parts behind lines "@ name".
QStringList partsOf(const QString &input, Kind kind)
{
    if (kind == Kind::Views)
        return {input};
    const bool isTable = kind == Kind::Table;
    QStringList parts{QString()};
    bool isTaken = !isTable;
    for (const auto &line : input.split(u'\n')) {
        if (line.startsWith(u"@ ")) {
            isTaken = isTable ? line == u"@ schema"
                              : line.endsWith(u".yaml") && !line.contains(u"README");
            if (isTaken && !parts.last().isEmpty())
                parts.append(QString());
        } else if (isTaken) {
            parts.last() += line + u'\n';
        }
    }
    parts.removeAll(QString());
    return parts;
}

// The fields that a reader knows, in its own order: it lists them where it is given none of them.
QStringList fieldsOf(const QList<Error> &problems)
{
    const QString listed = QStringLiteral("Known here: ");
    for (const auto &problem : problems) {
        if (problem.hint.startsWith(listed))
            return problem.hint.sliced(listed.size()).split(QStringLiteral(", "));
    }
    return {};
}

QStringList neededOf(const QList<Error> &problems)
{
    static const QRegularExpression form(QStringLiteral("'(\\w+)' is missing"));
    QStringList out;
    for (const auto &problem : problems) {
        if (const auto match = form.match(problem.message); match.hasMatch())
            out.append(match.captured(1));
    }
    out.sort();
    return out;
}

QStringList sorted(QStringList list)
{
    list.sort();
    return list;
}

QStringList textsOf(const QJsonValue &list)
{
    QStringList out;
    for (const auto &item : list.toArray())
        out.append(item.toString());
    return sorted(out);
}

const QByteArray kNobodysKey = "zzzzzzzzzzzz: 1";

}  // namespace

class tst_JsonSchemas : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheReader_data();
    void agreesWithTheReader();
    void hasTheOperations();
    void hasTheFields_data();
    void hasTheFields();
    void hasTheFieldsOfColumns_data();
    void hasTheFieldsOfColumns();
    void viewsAreTheSameEverywhere();
};

void tst_JsonSchemas::agreesWithTheReader_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("text");
    const auto rows = [](Kind kind, const char *folder) {
        const QDir dir(
            QStringLiteral(IVM_SOURCE_DIR "/tests/golden/%1").arg(QString::fromLatin1(folder)));
        for (const auto &file : dir.entryList({QStringLiteral("*.txt")}, QDir::Files)) {
            for (const auto &one : readGolden(dir.filePath(file))) {
                int number = 0;
                for (const auto &part : partsOf(one.input, kind))
                    QTest::addRow("%s/%s: %s %d", folder, qPrintable(file), qPrintable(one.name),
                                  ++number)
                        << int(kind) << part;
            }
        }
    };
    rows(Kind::Migration, "migrations");
    rows(Kind::Migration, "lint");
    rows(Kind::Views, "views_file");
    rows(Kind::Table, "autogenerate");
}

void tst_JsonSchemas::agreesWithTheReader()
{
    QFETCH(int, kind);
    QFETCH(QString, text);
    const auto root = yaml::parse(text.toUtf8(), QStringLiteral("text"));
    if (!root)
        return;
    const auto problems = problemsOf(Kind(kind), text.toUtf8());
    const QString wrong = JsonSchema(schemaOf(Kind(kind))).wrong(yaml::jsonOf(*root));
    const bool shouldBeWrong = !std::ranges::all_of(problems, isBeyondSchemas);
    const QString told = problems.isEmpty() ? QString() : problems.first().text();
    if (shouldBeWrong)
        QVERIFY2(!wrong.isEmpty(), qPrintable(QStringLiteral("accepted, though: ") + told));
    else
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

void tst_JsonSchemas::hasTheOperations()
{
    const QJsonObject step =
        schemaOf(Kind::Migration).value(u"$defs").toObject().value(u"step").toObject();
    QCOMPARE(step.value(u"properties").toObject().keys(), sorted(operationNames()));
}

void tst_JsonSchemas::hasTheFields_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("definition");
    const auto row = [](Kind kind, const QByteArray &text, const QString &definition) {
        QTest::newRow(qPrintable(definition.isEmpty() ? QStringLiteral("file") : definition))
            << int(kind) << text << definition;
    };
    row(Kind::Migration, kNobodysKey, {});
    row(Kind::Table, kNobodysKey, {});
    row(Kind::Views, "views: [{" + kNobodysKey + "}]", QStringLiteral("view"));
    for (const auto &name : operationNames())
        row(Kind::Migration, "upgrade: [{" + name.toUtf8() + ": {" + kNobodysKey + "}}]",
            name == u"create_view" ? QStringLiteral("view") : name);
}

void tst_JsonSchemas::hasTheFields()
{
    QFETCH(int, kind);
    QFETCH(QByteArray, text);
    QFETCH(QString, definition);
    const auto problems = problemsOf(Kind(kind), text);
    QJsonObject schema = schemaOf(Kind(kind));
    if (!definition.isEmpty())
        schema = schema.value(u"$defs").toObject().value(definition).toObject();
    QStringList fields = fieldsOf(problems);
    // Read apart from the fields of a view.
    if (definition == u"replace_view")
        fields.append(QStringLiteral("verify"));
    QCOMPARE(schema.value(u"properties").toObject().keys(), sorted(fields));
    QCOMPARE(textsOf(schema.value(u"required")), neededOf(problems));
}

void tst_JsonSchemas::hasTheFieldsOfColumns_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QStringList>("further");
    const QByteArray table = "{name: t, columns: [{" + kNobodysKey + "}]}";
    QTest::newRow("create_table") << int(Kind::Migration)
                                  << QByteArray("upgrade: [{create_table: " + table + "}]")
                                  << QStringList();
    QTest::newRow("table file") << int(Kind::Table) << table
                                << QStringList{QStringLiteral("id"), QStringLiteral("was")};
}

void tst_JsonSchemas::hasTheFieldsOfColumns()
{
    QFETCH(int, kind);
    QFETCH(QByteArray, text);
    QFETCH(QStringList, further);
    const auto problems = problemsOf(Kind(kind), text);
    const QJsonObject column =
        schemaOf(Kind(kind)).value(u"$defs").toObject().value(u"column").toObject();
    QCOMPARE(column.value(u"properties").toObject().keys(), sorted(fieldsOf(problems) + further));
    QCOMPARE(textsOf(column.value(u"required")), neededOf(problems));
}

void tst_JsonSchemas::viewsAreTheSameEverywhere()
{
    const auto view = [](Kind kind) {
        return schemaOf(kind).value(u"$defs").toObject().value(u"view");
    };
    QCOMPARE(view(Kind::Migration), view(Kind::Views));
}

QTEST_GUILESS_MAIN(tst_JsonSchemas)
#include "tst_json_schemas.moc"
