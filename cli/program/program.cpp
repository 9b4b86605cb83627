#include "cli/program/program.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcessEnvironment>

#include <clocale>
#include <cstdlib>
#include <cstring>

#include <langinfo.h>

namespace ivm {

void useUtf8()
{
    std::setlocale(LC_ALL, "");
    if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setenv("LC_ALL", "C.UTF-8", 1);
}

HostRequest hostRequest(const QString &program, const std::optional<QString> &config,
                        const std::optional<QString> &views)
{
    HostRequest request;
    const auto environment = QProcessEnvironment::systemEnvironment();
    for (const QString &name : environment.keys())
        request.config.environment.insert(name, environment.value(name));
    request.config.folder = QDir::currentPath();
    request.config.file = config;
    request.config.viewsFile = views.value_or(request.config.viewsFile);
    request.pluginFolders = pluginFolders(QCoreApplication::applicationDirPath(),
                                          environment.value(QStringLiteral("IVM_PLUGIN_PATH")));
    request.program = program;
    return request;
}

}  // namespace ivm
