#include "framework/migrate/migration_file.h"

#include "framework/base/nearest.h"
#include "framework/migrate/version_text.h"
#include "framework/yaml/fields.h"

#include <QCryptographicHash>
#include <QDir>
#include <QRegularExpression>

#include <algorithm>

namespace ivm::migrate {

namespace {

const QString kUpgrade = QStringLiteral("upgrade");
const QString kDowngrade = QStringLiteral("downgrade");
const QString kBecause = QStringLiteral("because");
const QString kVerify = QStringLiteral("verify");
const QString kIrreversible = QStringLiteral("irreversible");

Error problem(QString message, Place place, QStringView hint = {})
{
    return invalidError(std::move(message))
        .withCode(u"migration")
        .at(std::move(place))
        .withHint(hint);
}

// Puts the values of declared variables in the place of ${NAME} in every text below a node.
class Substitution {
public:
    Substitution(const Variables &known, QList<Error> &problems)
        : m_known(known), m_problems(problems)
    {
    }

    void apply(yaml::Node &node)
    {
        for (auto &item : node.items)
            apply(item);
        for (auto &entry : node.entries)
            apply(entry.value);
        if (node.kind == yaml::Node::Kind::Scalar && node.text.contains(u"${"))
            replace(node);
    }

    const Variables &used() const { return m_used; }

private:
    void replace(yaml::Node &node)
    {
        static const QRegularExpression reference(QStringLiteral("\\$\\{([^}]*)\\}"));
        QString out;
        qsizetype end = 0;
        for (const auto &match : reference.globalMatch(node.text)) {
            const QString name = match.captured(1);
            out += QStringView(node.text).sliced(end, match.capturedStart() - end);
            end = match.capturedEnd();
            const auto value = m_known.constFind(name);
            if (value == m_known.cend())
                m_problems.append(
                    problem(QStringLiteral("${%1} is not declared").arg(name.left(80)), node.place,
                            u"List the names that the file may use: environment: [NAME]"));
            else
                out += *m_used.insert(name, *value);
        }
        out += QStringView(node.text).sliced(end);
        node.text = out;
        // Lines are as they were, columns behind a value are not.
    }

    const Variables &m_known;
    QList<Error> &m_problems;
    Variables m_used;
};

// What a value may hold, so that it stays one name or number wherever it is put.
bool isPlainValue(const QString &value)
{
    static const QRegularExpression form(QStringLiteral("\\A[A-Za-z0-9_./:@+-]+\\z"));
    return form.match(value).hasMatch() && !value.contains(u"--");
}

Variables declared(Fields &fields, const Variables &environment)
{
    const QString key = QStringLiteral("environment");
    Variables out;
    for (const auto &name : fields.texts(key).value_or(QStringList())) {
        const auto value = environment.constFind(name);
        const Place place = fields.node(key)->place;
        if (value == environment.cend())
            fields.report(QStringLiteral("the environment has no variable %1").arg(name), place,
                          QStringLiteral("Set it, or take it out of 'environment'"));
        else if (!isPlainValue(*value))
            fields.report(
                QStringLiteral("the variable %1 holds more than letters, digits and _./:@+-")
                    .arg(name),
                place, QStringLiteral("A value is put into names and statements as it is"));
        // Declared all the same; what stands for it keeps the rest readable.
        const bool isPlain = value != environment.cend() && isPlainValue(*value);
        out.insert(name, isPlain ? *value : QStringLiteral("x"));
    }
    return out;
}

QString wordsOf(const QString &name)
{
    QString words = name;
    words.replace(u'_', u' ');
    return words;
}

// The way down where none is written: every step taken back, the last one first.
void invert(Migration &migration)
{
    QList<Step> down;
    for (auto step = migration.upgrade.crbegin(); step != migration.upgrade.crend(); ++step) {
        const auto inverse = inverseOf(step->operation);
        if (!inverse) {
            migration.whyIrreversible =
                QStringLiteral("it has no downgrade, and %1 cannot be taken back by itself")
                    .arg(operationText(step->operation));
            return;
        }
        for (const auto &operation : *inverse)
            down.append({operation, step->place, step->checksum});
    }
    migration.downgrade = down;
}

class FileReader {
public:
    FileReader(yaml::Node &root, const FolderRequest &request, Migration &migration,
               QList<Error> &problems)
        : m_root(root), m_request(request), m_migration(migration), m_problems(problems),
          m_fields(root, {}, problems)
    {
    }

    void read()
    {
        m_migration.description =
            m_fields.text(QStringLiteral("about")).value_or(wordsOf(m_migration.name)).simplified();
        const Variables variables = declared(m_fields, m_request.environment);
        Substitution substitution(variables, m_problems);
        for (auto &entry : m_root.entries) {
            if (entry.key == kUpgrade || entry.key == kDowngrade || entry.key == kVerify)
                substitution.apply(entry.value);
        }
        m_migration.variables = substitution.used();
        readUpgrade();
        readDowngrade();
        readVerify();
        m_fields.finish();
    }

private:
    void readUpgrade()
    {
        const yaml::Node *list = m_fields.list(kUpgrade);
        if (!list && !m_root.find(kUpgrade))
            m_fields.report(QStringLiteral("'upgrade' is missing, expected a list of operations"),
                            m_root.place);
        if (list)
            m_migration.upgrade = readSteps(*list, m_request.defaults, m_problems);
        // A file may be there for its number alone, as one is that was stamped: it does nothing.
    }

    void readDowngrade()
    {
        const yaml::Node *node = m_fields.node(kDowngrade);
        const auto because = m_fields.text(kBecause);
        m_migration.hasWrittenDowngrade = node != nullptr;
        if (node)
            m_migration.downgradePlace = node->place;
        if (!node) {
            invert(m_migration);
        } else if (node->kind == yaml::Node::Kind::List) {
            m_migration.downgrade = readSteps(*node, m_request.defaults, m_problems);
        } else if (node->kind == yaml::Node::Kind::Scalar && node->text == kIrreversible) {
            m_migration.isDeclaredIrreversible = true;
            m_migration.whyIrreversible = because.value_or(QString());
            if (!because)
                m_fields.report(QStringLiteral("'downgrade: irreversible' needs a reason"),
                                node->place,
                                QStringLiteral("Say why it cannot be taken back: because: …"));
        } else {
            m_fields.report(QStringLiteral("'downgrade' is %1, expected a list of operations, or "
                                           "irreversible")
                                .arg(node->kindName()),
                            node->place);
        }
        if (because && !m_migration.isDeclaredIrreversible)
            m_fields.report(QStringLiteral("'because' goes with 'downgrade: irreversible' only"),
                            m_fields.node(kBecause)->place);
    }

    void readVerify()
    {
        const yaml::Node *list = m_fields.list(kVerify);
        if (!list)
            return;
        for (const auto &item : list->items) {
            if (item.kind == yaml::Node::Kind::Scalar && !item.text.trimmed().isEmpty())
                m_migration.verify.append({item.text.trimmed(), item.textPlace});
            else
                m_fields.report(QStringLiteral("'verify' holds %1, expected a query that gives "
                                               "true")
                                    .arg(item.kindName()),
                                item.place);
        }
    }

    yaml::Node &m_root;
    const FolderRequest &m_request;
    Migration &m_migration;
    QList<Error> &m_problems;
    Fields m_fields;
};

struct FileName {
    qint64 version = 0;
    QString name;
};

std::optional<FileName> parseFileName(const QString &file)
{
    static const QRegularExpression form(
        QStringLiteral("\\A([0-9]{1,9})_([a-z0-9]+(?:_[a-z0-9]+)*)\\.yaml\\z"));
    const auto match = form.match(file);
    if (!match.hasMatch() || match.captured(1).toLongLong() < 1)
        return std::nullopt;
    return FileName{match.captured(1).toLongLong(), match.captured(2)};
}

Result<QString> folderOf(const FolderRequest &request)
{
    static const QRegularExpression form(QStringLiteral("\\A[a-z_][a-z0-9_]*\\z"));
    if (!form.match(request.line).hasMatch())
        return fail(problem(QStringLiteral("'%1' is no namespace").arg(request.line.left(80)), {},
                            u"Use lower-case letters, digits and _, not starting with a digit"));
    const bool isDefault = request.line == kDefaultLine;
    const QString path = isDefault ? request.folder : QString(request.folder + u'/' + request.line);
    if (QDir(path).exists())
        return path;
    return fail(notFoundError(QStringLiteral("%1: there is no such folder").arg(path))
                    .withCode(u"no_migrations")
                    .withHint(isDefault ? QStringLiteral("Make it with 'ivmctl migrate init'")
                                        : QStringLiteral("Make it with 'ivmctl migrate init "
                                                         "--namespace %1'")
                                              .arg(request.line)));
}

// Both files of a number that is given twice, and both sides of a gap, are named.
void checkNumbers(MigrationFolder &folder)
{
    qint64 expected = 1;
    QString last;
    for (const auto &migration : std::as_const(folder.migrations)) {
        const QString file = QFileInfo(migration.file).fileName();
        const Place place{migration.file, 0, 0};
        if (migration.version < expected)
            folder.problems.append(problem(
                QStringLiteral("its number %1 is also that of %2").arg(migration.version).arg(last),
                place, u"Give the one that was not applied anywhere the next free number"));
        else if (migration.version > expected && last.isEmpty())
            folder.problems.append(
                problem(QStringLiteral("it is the first, and its number is %1 instead of 1")
                            .arg(migration.version),
                        place, u"Numbers begin with 1 and have no gaps"));
        else if (migration.version > expected)
            folder.problems.append(
                problem(QStringLiteral("number %1 is missing between %2 and this file")
                            .arg(versionText(expected), last),
                        place, u"Numbers begin with 1 and have no gaps"));
        last = file;
        expected = migration.version + 1;
    }
}

bool looksLikeOurs(const QString &file)
{
    return !file.startsWith(u'.') && (file.endsWith(u".yaml") || file.endsWith(u".yml"));
}

}  // namespace

QString Migration::label() const { return migrationFileName(version, name).chopped(5); }

const Migration *MigrationFolder::find(qint64 version) const
{
    const auto found = std::ranges::find(migrations, version, &Migration::version);
    return found == migrations.end() ? nullptr : &*found;
}

QString migrationFileName(qint64 version, const QString &name)
{
    return QStringLiteral("%1_%2.yaml").arg(versionText(version), name);
}

QString checksumOf(const QByteArray &bytes)
{
    QByteArray text = bytes;
    if (text.startsWith("\xef\xbb\xbf"))
        text.remove(0, 3);
    text.replace("\r\n", "\n");
    return QString::fromLatin1(QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex());
}

Migration readMigration(const QByteArray &bytes, const QString &file, const FolderRequest &request,
                        QList<Error> &problems)
{
    Migration migration;
    migration.file = file;
    migration.checksum = checksumOf(bytes);
    migration.otherChecksum =
        checksumOf(bytes.endsWith('\n') ? bytes.chopped(bytes.endsWith("\r\n") ? 2 : 1)
                                        : QByteArray(bytes + '\n'));
    const auto name = parseFileName(QFileInfo(file).fileName());
    if (name) {
        migration.version = name->version;
        migration.name = name->name;
    }
    auto root = yaml::parse(bytes, file);
    if (!root) {
        problems.append(root.error());
    } else if (root->kind != yaml::Node::Kind::Map) {
        problems.append(problem(QStringLiteral("the file holds %1, expected a map with the key "
                                               "'upgrade'")
                                    .arg(root->kindName()),
                                {file, 1, 1}));
    } else {
        QList<Error> own;
        FileReader(*root, request, migration, own).read();
        sortByPlace(own);
        problems.append(own);
    }
    return migration;
}

MigrationFolder readFolder(const FolderRequest &request)
{
    MigrationFolder out;
    out.line = request.line;
    const auto path = folderOf(request);
    if (!path) {
        out.problems.append(path.error());
        return out;
    }
    out.path = *path;
    const auto names = QDir(*path).entryList(QDir::Files, QDir::Name);
    for (const auto &name : names) {
        if (!looksLikeOurs(name))
            continue;
        const QString file = *path + u'/' + name;
        if (!parseFileName(name)) {
            out.problems.append(
                problem(QStringLiteral("this is no name of a migration"), {file, 0, 0},
                        u"Name it NNNN_snake_name.yaml, or move it out of the folder"));
            continue;
        }
        QFile opened(file);
        if (!opened.open(QIODevice::ReadOnly)) {
            out.problems.append(
                unavailableError(
                    QStringLiteral("the file cannot be read: %1").arg(opened.errorString()))
                    .at({file, 0, 0}));
            continue;
        }
        out.migrations.append(
            readMigration(opened.read(yaml::kMaxBytes + 1), file, request, out.problems));
    }
    std::ranges::stable_sort(out.migrations, {}, &Migration::version);
    checkNumbers(out);
    return out;
}

}  // namespace ivm::migrate
