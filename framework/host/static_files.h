// The page's files, held in memory: only what was in the folder at the start can be asked for.
//
// Threads: any, once made.
#pragma once

#include "framework/host/http_server.h"

namespace ivm {

class StaticFiles {
public:
    StaticFiles() = default;
    // Unavailable, naming the folder, where it holds no index.html.
    static Result<StaticFiles> load(const QString &folder);

    // "/" is index.html. None: no such file.
    std::optional<HttpResponse> answer(const HttpRequest &request) const;

private:
    struct File {
        QByteArray type;
        QByteArray bytes;
        QByteArray tag;
    };
    QHash<QString, File> m_files;
};

// Folder of the page's files: `named`, else beside the installed or built program.
QString webFolder(const QString &programFolder, const QByteArray &named);

}  // namespace ivm
