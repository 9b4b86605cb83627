#include "framework/migrate/revision.h"

#include <QDir>
#include <QFile>

namespace ivm::migrate {

namespace {

constexpr qsizetype kLongestName = 60;

const QByteArray kReadme =
    "Migrations: one file a change, NNNN_snake_name.yaml, numbered from 1 without gaps.\n"
    "\n"
    "A file says how to go up (`upgrade`) and how to go back (`downgrade`). Files that were "
    "applied\n"
    "are never edited: a further change is a further file.\n"
    "\n"
    "    ivmctl migrate revision -m 'what it is about'   the next file\n"
    "    ivmctl migrate plan                             what would be done\n"
    "    ivmctl migrate upgrade                          does it\n"
    "    ivmctl migrate downgrade -1                     takes the last one back\n"
    "    ivmctl migrate status                           where the catalog stands\n";

Status writeNew(const QString &path, const QByteArray &text)
{
    QFile file(path);
    // Also where another process makes it at this moment.
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
        if (QFile::exists(path))
            return fail(alreadyExistsError(QStringLiteral("%1 exists").arg(path)));
        return fail(unavailableError(
            QStringLiteral("%1 cannot be written: %2").arg(path, file.errorString())));
    }
    if (file.write(text) != text.size() || !file.flush())
        return fail(unavailableError(
            QStringLiteral("%1 cannot be written: %2").arg(path, file.errorString())));
    return {};
}

// As a text that YAML reads back as it is.
QByteArray quotedYaml(QString text)
{
    return QString(u'\'' + text.replace(u'\'', QStringLiteral("''")) + u'\'').toUtf8();
}

}  // namespace

Result<QString> makeFolder(const FolderRequest &request)
{
    const bool isDefault = request.line == kDefaultLine;
    const QString path = isDefault ? request.folder : QString(request.folder + u'/' + request.line);
    if (!QDir().mkpath(path))
        return fail(unavailableError(QStringLiteral("%1 cannot be made").arg(path))
                        .withHint(u"Let this user write to the folder above it"));
    const QString readme = path + QStringLiteral("/README.md");
    if (!QFile::exists(readme))
        IVM_CHECK(writeNew(readme, kReadme));
    return path;
}

QString nameOf(const QString &message)
{
    QString name;
    for (const QChar c : message.normalized(QString::NormalizationForm_KD).toLower()) {
        const bool isPlain = (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9');
        if (isPlain)
            name += c;
        else if (!c.isMark() && !name.isEmpty() && !name.endsWith(u'_'))
            name += u'_';
    }
    name.truncate(kLongestName);
    while (name.endsWith(u'_'))
        name.chop(1);
    return name;
}

Result<QString> makeRevision(const MigrationFolder &folder, const QString &message)
{
    const QByteArray text = "about: " + quotedYaml(message.simplified()) +
                            "\n"
                            "# One operation a step; 'ivmctl help migrate' lists them. Such as:\n"
                            "#   - create_view:\n"
                            "#       name: orders_daily\n"
                            "#       query: SELECT date_trunc('day', ts) AS day, count(*) AS n "
                            "FROM orders GROUP BY 1\n"
                            "upgrade: []\n"
                            "# Without a downgrade each operation is taken back by itself, where "
                            "it can be.\n"
                            "# downgrade: []\n";
    return writeRevision(folder, message, text);
}

Result<QString> writeRevision(const MigrationFolder &folder, const QString &message,
                              const QByteArray &text)
{
    const QString name = nameOf(message);
    if (name.isEmpty())
        return fail(invalidError(QStringLiteral("'%1' makes no file name").arg(message.left(80)))
                        .withCode(u"usage")
                        .withHint(u"Say what it is about: -m 'add departures per hour'"));
    const QString path = folder.path + u'/' + migrationFileName(folder.head() + 1, name);
    IVM_CHECK(writeNew(path, text));
    return path;
}

}  // namespace ivm::migrate
