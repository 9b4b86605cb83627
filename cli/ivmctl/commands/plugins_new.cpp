// ivmctl plugins new: writes the project of a plugin that builds and passes its suite as it is.
#include "cli/ivmctl/command.h"
#include "framework/base/nearest.h"

#include <QCoreApplication>
#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QRegularExpression>

namespace ivm::ctl {

namespace {

const QString kKind = QStringLiteral("--kind");
const QString kFolder = QStringLiteral("--folder");
const QStringList kKinds{QStringLiteral("executor"), QStringLiteral("store"),
                         QStringLiteral("detector")};

struct Request {
    QString name;
    QString kind;
    QString folder;
};

// It becomes the name of files, of a library and of a namespace.
Status checkName(const QString &name)
{
    static const QRegularExpression form(QStringLiteral("\\A[A-Za-z][A-Za-z0-9_]{0,39}\\z"));
    if (form.match(name).hasMatch())
        return {};
    return fail(invalidError(QStringLiteral("'%1' is not a name for a plugin").arg(name))
                    .withHint(u"Write a letter, then at most 39 letters, digits and underscores"));
}

// Of two plugins of one kind and name only one counts.
Status checkFree(Host &host, const Request &request)
{
    for (const auto &entry : host.plugins().entries()) {
        if (entry.metadata && entry.metadata->name == request.name &&
            pluginKindName(entry.metadata->kind) == request.kind)
            return fail(alreadyExistsError(QStringLiteral("there is a plugin %1 of kind %2: %3")
                                               .arg(request.name, request.kind, entry.path))
                            .withHint(u"Choose another name"));
    }
    return {};
}

Result<Request> requestOf(const Context &context)
{
    Request request{.name = context.arguments.words.first(),
                    .kind = context.arguments.options.value(kKind),
                    .folder = context.arguments.options.value(kFolder)};
    IVM_CHECK(checkName(request.name));
    if (request.kind.isEmpty())
        return fail(
            invalidError(
                QStringLiteral("what kind of plugin '%1' is has to be said").arg(request.name))
                .withHint(u"Add --kind executor, --kind store or --kind detector"));
    if (!kKinds.contains(request.kind))
        return fail(invalidError(QStringLiteral("'%1' is not a kind of plugin").arg(request.kind))
                        .withHint(nearestHint(request.kind, kKinds)));
    IVM_CHECK(checkFree(context.host(), request));
    if (request.folder.isEmpty())
        request.folder = request.name;
    request.folder = QDir::cleanPath(request.folder);
    const QFileInfo there(request.folder);
    if (there.exists() || there.isSymLink())
        return fail(alreadyExistsError(QStringLiteral("%1 exists").arg(request.folder))
                        .withHint(u"Name a folder that does not exist, with --folder"));
    return request;
}

// my_engine: MyEngine.
QString className(const QString &name)
{
    QString out;
    for (const QString &word : name.split(u'_', Qt::SkipEmptyParts))
        out += word.at(0).toUpper() + word.mid(1);
    return out;
}

// The template speaks of a plugin that is called `example`.
QString filledIn(const QString &text, const QString &name)
{
    static const QRegularExpression marks(QStringLiteral("example|Example|@VERSION@"));
    QString out;
    qsizetype from = 0;
    for (auto it = marks.globalMatch(text); it.hasNext();) {
        const auto mark = it.next();
        out += QStringView(text).sliced(from, mark.capturedStart() - from);
        out += mark.captured() == u"example"   ? name
               : mark.captured() == u"Example" ? className(name)
                                               : hostVersion();
        from = mark.capturedEnd();
    }
    return out + QStringView(text).sliced(from);
}

Status writeFile(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly) ||
        file.write(bytes) != bytes.size() || !file.flush())
        return fail(unavailableError(QStringLiteral("%1 cannot be written: %2")
                                         .arg(path, file.error() == QFile::NoError
                                                        ? QStringLiteral("no more than a part was")
                                                        : file.errorString())));
    return {};
}

Result<QStringList> writeFiles(const Request &request)
{
    QStringList made;
    QDirIterator files(QStringLiteral(":/plugin/") + request.kind, QDir::Files);
    while (files.hasNext()) {
        QFile from(files.next());
        if (!from.open(QIODevice::ReadOnly))
            return fail(internalError(
                QStringLiteral("%1 cannot be read: %2").arg(from.fileName(), from.errorString())));
        const QString name = filledIn(files.fileName(), request.name);
        const QString text = filledIn(QString::fromUtf8(from.readAll()), request.name);
        IVM_CHECK(writeFile(QDir(request.folder).filePath(name), text.toUtf8()));
        made.append(name);
    }
    made.sort();
    return made;
}

// Whole or not at all: what is half written would be in the way of the next try.
Result<QStringList> writeProject(const Request &request)
{
    const QFileInfo folder(request.folder);
    if (!QDir().mkpath(folder.absolutePath()) || !QDir().mkdir(folder.absoluteFilePath()))
        return fail(
            unavailableError(QStringLiteral("the folder %1 cannot be made").arg(request.folder)));
    auto made = writeFiles(request);
    if (!made)
        QDir(request.folder).removeRecursively();
    return made;
}

// As a word of a shell's.
QString shellWord(const QString &text)
{
    static const QRegularExpression plain(QStringLiteral("\\A[A-Za-z0-9_./+-]+\\z"));
    if (plain.match(text).hasMatch())
        return text;
    return u'\'' + QString(text).replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

// What CMake has to be told to find this installation; empty where nothing is installed.
QString prefix()
{
    const QDir bin(QCoreApplication::applicationDirPath());
    const QString root = QDir::cleanPath(bin.filePath(QStringLiteral("..")));
    return QFileInfo::exists(root + QStringLiteral("/lib/cmake/IcebergIvm")) ? root : QString();
}

QStringList nextSteps(const QString &folder)
{
    const QString from = prefix().isEmpty() ? QStringLiteral("<where iceberg-ivm is installed>")
                                            : shellWord(prefix());
    const QString source = shellWord(folder);
    const QString build = shellWord(folder + QStringLiteral("/build"));
    return {QStringLiteral("cmake -G Ninja -S %1 -B %2 -DCMAKE_PREFIX_PATH=%3")
                .arg(source, build, from),
            QStringLiteral("cmake --build %1").arg(build),
            QStringLiteral("ctest --test-dir %1 --output-on-failure").arg(build),
            QStringLiteral("IVM_PLUGIN_PATH=%1 ivmctl plugins --load").arg(build)};
}

Exit run(Context &context)
{
    const auto request = requestOf(context);
    if (!request)
        return failWith(context, request.error(), Exit::Usage);
    const auto made = writeProject(*request);
    if (!made)
        return failWith(context, made.error());
    Terminal &terminal = context.terminal;
    if (terminal.isJson()) {
        terminal.json(
            {{QStringLiteral("folder"), request->folder},
             {QStringLiteral("files"), QJsonArray::fromStringList(*made)},
             {QStringLiteral("next"), QJsonArray::fromStringList(nextSteps(request->folder))}});
        return Exit::Done;
    }
    terminal.line(QStringLiteral("made %1 with %2")
                      .arg(visible(request->folder), made->join(QStringLiteral(", "))));
    terminal.note(u"it builds and passes its conformance suite as it is:");
    for (const QString &step : nextSteps(visible(request->folder)))
        terminal.note(QString(QStringLiteral("  ") + step));
    return Exit::Done;
}

}  // namespace

Command pluginsNewCommand()
{
    return {
        {.name = QStringLiteral("plugins new"),
         .words = QStringLiteral("NAME --kind KIND"),
         .summary = QStringLiteral("writes the project of a plugin of your own"),
         .details = QStringLiteral(
             "Writes a CMake project into a new folder: the plugin, its metadata, a test that runs "
             "the\n"
             "conformance suite, a README. It builds, loads and passes as it is; what stands in "
             "for your\n"
             "engine, database or catalog is a file of its own. The rest is told by\n"
             "share/doc/iceberg-ivm/writing_a_plugin.md."),
         .examples = {QStringLiteral("ivmctl plugins new my_engine --kind executor"),
                      QStringLiteral(
                          "ivmctl plugins new vault --kind store --folder ~/src/ivm-vault")},
         .options = {{kKind, QStringLiteral("KIND"), QStringLiteral("executor, store or detector")},
                     {kFolder, QStringLiteral("DIR"),
                      QStringLiteral("a new folder; without it ./NAME")}},
         .leastWords = 1,
         .mostWords = 1},
        run};
}

}  // namespace ivm::ctl
