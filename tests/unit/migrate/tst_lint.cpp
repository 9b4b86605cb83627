// What `migrate check` warns of, word for word.
#include "framework/migrate/lint.h"
#include "tests/support/golden.h"
#include "tests/support/migration_files.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using namespace ivm::test;

namespace {

// Migration files (writeMigrationFiles), behind lines of "applied N" and "oldest TABLE SECONDS".
QString outputOf(const QString &input)
{
    LintContext context{.defaults = kMigrationDefaults};
    QStringList lines;
    for (const auto &line : input.split(u'\n')) {
        const QStringList words = line.split(u' ');
        if (words.first() == u"applied")
            context.applied = words.at(1).toLongLong();
        else if (words.first() == u"oldest")
            context.oldestBookmark.insert(*parseTableName(words.at(1), kMigrationDefaults),
                                          std::chrono::seconds(words.at(2).toLongLong()));
        else
            lines.append(line);
    }
    const QTemporaryDir dir;
    writeMigrationFiles(dir.path(), lines.join(u'\n'));
    const auto folder =
        readFolder({.folder = dir.path(), .defaults = kMigrationDefaults, .environment = {}});
    QString out;
    for (const auto &problem : folder.problems)
        out += QStringLiteral("PROBLEM: ") + problem.text() + u'\n';
    for (const auto &warning : lint(folder, context))
        out += warning.code + QStringLiteral(": ") + warning.text() + u'\n';
    out.replace(QString(dir.path() + u'/'), QString());
    return out.isEmpty() ? QStringLiteral("nothing") : out;
}

}  // namespace

class tst_Lint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { updateGolden(QStringLiteral("lint"), outputOf); }
    void warns_data() { addGoldenRows(QStringLiteral("lint")); }
    void warns()
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        QCOMPARE(outputOf(input).trimmed(), expected);
    }
};

QTEST_GUILESS_MAIN(tst_Lint)
#include "tst_lint.moc"
