#include "framework/host/migrating.h"

#include "framework/host/view_builder.h"

#include <QSysInfo>

#include <pwd.h>
#include <unistd.h>

namespace ivm {

namespace {

// As the system calls the user, whatever the environment says.
QString userName()
{
    const uid_t user = geteuid();
    const passwd *entry = getpwuid(user);
    return entry ? QString::fromLocal8Bit(entry->pw_name) : QStringLiteral("uid %1").arg(user);
}

QString placeText(const Place &place)
{
    const QString name = place.file.section(u'/', -1);
    return place.line > 0 ? QStringLiteral("%1:%2").arg(name, QString::number(place.line)) : name;
}

}  // namespace

migrate::Actor migrationActor(Host &host)
{
    return {.name = userName(),
            .host = QSysInfo::machineHostName(),
            .toolVersion = hostVersion(),
            .owner = host.owner()};
}

QList<migrate::OtherView> otherViews(const Definitions &definitions)
{
    QList<migrate::OtherView> out;
    for (const auto &definition : definitions.all()) {
        if (definition.owner != ViewOwner::Migration && definition.shape)
            out.append({View{definition.spec, *definition.shape}, placeText(definition.place)});
    }
    return out;
}

std::unique_ptr<migrate::ViewBuilder>
makeViewBuilder(Host &host, std::function<void(const QString &holder)> waiting)
{
    return std::make_unique<ViewBuilder>([&host] { return host.services(); }, std::move(waiting));
}

}  // namespace ivm
