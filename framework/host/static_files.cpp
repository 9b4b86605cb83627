#include "framework/host/static_files.h"

#include <QCryptographicHash>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

namespace ivm {

namespace {

QByteArray typeOf(const QString &suffix)
{
    static const QHash<QString, QByteArray> types{
        {QStringLiteral("html"), "text/html; charset=utf-8"},
        {QStringLiteral("css"), "text/css; charset=utf-8"},
        {QStringLiteral("js"), "text/javascript; charset=utf-8"},
        {QStringLiteral("json"), "application/json"},
        {QStringLiteral("svg"), "image/svg+xml"},
        {QStringLiteral("png"), "image/png"},
        {QStringLiteral("ico"), "image/x-icon"}};
    return types.value(suffix, "application/octet-stream");
}

}  // namespace

Result<StaticFiles> StaticFiles::load(const QString &folder)
{
    StaticFiles files;
    QDirIterator found(folder, QDir::Files, QDirIterator::Subdirectories);
    while (found.hasNext()) {
        QFile file(found.next());
        if (!file.open(QIODevice::ReadOnly))
            return fail(unavailableError(
                QStringLiteral("%1 cannot be read: %2").arg(file.fileName(), file.errorString())));
        const QByteArray bytes = file.readAll();
        const QByteArray hash =
            QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().left(32);
        files.m_files.insert(QDir(folder).relativeFilePath(file.fileName()),
                             {typeOf(found.fileInfo().suffix()), bytes, '"' + hash + '"'});
    }
    if (!files.m_files.contains(QStringLiteral("index.html")))
        return fail(unavailableError(QStringLiteral("the page's files are not in %1").arg(folder))
                        .withHint(u"Set IVM_WEB_FOLDER to the folder that holds index.html"));
    return files;
}

std::optional<HttpResponse> StaticFiles::answer(const HttpRequest &request) const
{
    const QString name = request.path == u"/" ? QStringLiteral("index.html") : request.path.mid(1);
    const auto file = m_files.constFind(name);
    if (file == m_files.cend() || (request.method != "GET" && request.method != "HEAD"))
        return {};
    HttpResponse response{.type = file->type,
                          .body = file->bytes,
                          .headers = {{"ETag", file->tag}, {"Cache-Control", "no-cache"}}};
    if (request.hasTag(file->tag)) {
        response.status = 304;
        response.body.clear();
    }
    return response;
}

QString webFolder(const QString &programFolder, const QByteArray &named)
{
    if (!named.isEmpty())
        return QString::fromLocal8Bit(named);
    for (const auto *place : {"../share/ivm/web", "../../share/web", "../../../share/web"}) {
        const QString folder = QDir(programFolder).filePath(QString::fromLatin1(place));
        if (QFile::exists(folder + QStringLiteral("/index.html")))
            return QDir::cleanPath(folder);
    }
    return QDir(programFolder).filePath(QStringLiteral("../share/ivm/web"));
}

}  // namespace ivm
