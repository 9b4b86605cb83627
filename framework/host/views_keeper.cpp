#include "framework/host/views_keeper.h"

#include "framework/base/log.h"
#include "framework/host/views_edit.h"
#include "framework/yaml/node_json.h"

#include <QFileInfo>
#include <QSaveFile>

namespace ivm {

namespace {

using namespace std::chrono_literals;

// For so long a file has to stay as it is before it is believed to be whole.
constexpr auto kSettled = 300ms;

const QString kName = QStringLiteral("name");
const QString kViews = QStringLiteral("views");

QHash<QString, QJsonObject> entriesOf(const QByteArray &bytes)
{
    QHash<QString, QJsonObject> entries;
    const auto root = yaml::parse(bytes, kViews);
    const auto *views = root ? root->find(kViews) : nullptr;
    if (!views)
        return entries;
    for (const auto &item : views->items) {
        const auto *name = item.kind == yaml::Node::Kind::Map ? item.find(kName) : nullptr;
        if (name)
            entries.insert(name->text, yaml::jsonOf(item).toObject());
    }
    return entries;
}

}  // namespace

ViewsKeeper::ViewsKeeper(Host &host) : m_host(host), m_path(host.config().viewsFile)
{
    m_settling.setSingleShot(true);
    connect(&m_settling, &QTimer::timeout, this, &ViewsKeeper::look);
    connect(&m_ticks, &QTimer::timeout, this, [this] {
        // What is wrong may be put right without a trace in time and size: rights, for one.
        if (m_stamp != stamp() || !m_problems.isEmpty())
            look();
    });
}

void ViewsKeeper::start()
{
    m_stamp = stamp();
    if (QFileInfo::exists(m_path)) {
        if (const auto bytes = read(); bytes)
            settle(*bytes);
        else
            setProblems({bytes.error()});
    }
    m_ticks.start(m_host.config().reloadInterval);
}

void ViewsKeeper::reload()
{
    m_unsettled.reset();
    look();
}

void ViewsKeeper::setMigrated(const QList<MigratedView> &views)
{
    if (views == m_migrated)
        return;
    m_migrated = views;
    const TableName defaults = m_host.tableDefaults();
    auto definitions = m_bytes.isEmpty() ? Definitions({}, defaults, m_migrated)
                                         : understood(m_bytes).value_or(Definitions());
    qCInfo(logHost, "migrations own %lld views", qlonglong(m_migrated.size()));
    // The file on disk is as wrong as it was.
    const auto problems = m_problems;
    takeOver(m_bytes, std::move(definitions));
    setProblems(problems);
}

QJsonObject ViewsKeeper::entry(const QString &name) const { return m_entries.value(name); }

ViewsKeeper::Stamp ViewsKeeper::stamp() const
{
    const QFileInfo info(m_path);
    return info.exists() ? Stamp{info.lastModified(), info.size()} : Stamp{};
}

Result<QByteArray> ViewsKeeper::read() const
{
    QFile file(m_path);
    if (!file.exists())
        return fail(
            notFoundError(QStringLiteral("%1 is gone; the views stay as they were").arg(m_path)));
    // Of a pipe nobody knows when something comes.
    if (!QFileInfo(m_path).isFile())
        return fail(invalidError(QStringLiteral("%1 is no regular file").arg(m_path)));
    if (!file.open(QIODevice::ReadOnly))
        return fail(unavailableError(
            QStringLiteral("%1 cannot be read: %2").arg(m_path, file.errorString())));
    return file.read(yaml::kMaxBytes + 1);
}

Result<Definitions> ViewsKeeper::understood(const QByteArray &bytes) const
{
    if (bytes.trimmed().isEmpty())
        return fail(invalidError(QStringLiteral("%1 is empty").arg(m_path))
                        .withHint(u"To have no views write views: []"));
    IVM_TRY(const auto root, yaml::parse(bytes, m_path));
    const TableName defaults = m_host.tableDefaults();
    Definitions definitions(readViews(root, defaults), defaults, m_migrated);
    if (!definitions.problems().isEmpty())
        return fail(definitions.problems().first());
    return definitions;
}

// What is seen twice the same is whole: an editor, or a copy over the network, may be at work.
void ViewsKeeper::look()
{
    m_stamp = stamp();
    const auto bytes = read();
    if (!bytes)
        return setProblems({bytes.error()});
    if (*bytes == m_bytes) {
        m_unsettled.reset();
        return setProblems({});
    }
    if (m_unsettled == *bytes) {
        m_unsettled.reset();
        return settle(*bytes);
    }
    m_unsettled = *bytes;
    m_settling.start(kSettled);
}

void ViewsKeeper::settle(const QByteArray &bytes)
{
    auto definitions = understood(bytes);
    if (!definitions)
        return setProblems({definitions.error()});
    takeOver(bytes, *std::move(definitions));
}

void ViewsKeeper::takeOver(const QByteArray &bytes, Definitions definitions)
{
    m_bytes = bytes;
    m_entries = entriesOf(bytes);
    m_definitions = std::move(definitions);
    m_problems.clear();
    qCInfo(logHost, "%s is in force: %lld views", qPrintable(m_path),
           qlonglong(m_definitions.all().size()));
    for (const auto &definition : m_definitions.all()) {
        for (const auto &problem : definition.problems)
            qCWarning(logHost, "%s", qPrintable(problem.text()));
        if (definition.contradiction)
            qCWarning(logHost, "%s", qPrintable(definition.contradiction->text()));
    }
    Q_EMIT changed();
}

void ViewsKeeper::setProblems(QList<Error> problems)
{
    if (problems == m_problems)
        return;
    m_problems = std::move(problems);
    for (const auto &problem : std::as_const(m_problems))
        qCWarning(logHost, "%s; the views stay as they were", qPrintable(problem.text()));
    Q_EMIT changed();
}

Result<Definitions> ViewsKeeper::tried(const QString &name, const QJsonObject &entry) const
{
    IVM_TRY(const QByteArray bytes, withEntry(m_bytes, name, entry));
    return understood(bytes);
}

Status ViewsKeeper::isInForce() const
{
    if (m_bytes.isEmpty() && !QFileInfo::exists(m_path))
        return {};
    const auto bytes = read();
    if (!bytes && bytes.error().kind != ErrorKind::NotFound)
        return fail(bytes.error());
    if (bytes && *bytes == m_bytes)
        return {};
    return fail(conflictError(QStringLiteral("%1 was changed meanwhile").arg(m_path))
                    .withCode(u"file_changed")
                    .withHint(u"Look at the views again, then repeat the change"));
}

Status ViewsKeeper::write(const QByteArray &bytes)
{
    // Through a link to the file itself, and with its rights.
    const QFileInfo info(m_path);
    QSaveFile file(info.exists() ? info.canonicalFilePath() : m_path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return fail(unavailableError(
            QStringLiteral("%1 cannot be written: %2").arg(m_path, file.errorString())));
    return {};
}

// What a migration made, a migration changes.
Status ViewsKeeper::isNoMigrations(const QString &name) const
{
    const auto *definition = m_definitions.find(name);
    if (!definition || definition->owner != ViewOwner::Migration)
        return {};
    return fail(
        conflictError(QStringLiteral("view '%1' is owned by %2").arg(name, definition->migration))
            .withCode(u"owned_by_migration")
            .withHint(u"Change it by a migration: 'ivmctl migrate revision'"));
}

Status ViewsKeeper::put(const QString &name, const QJsonObject &entry, Wanted wanted)
{
    IVM_CHECK(isNoMigrations(name));
    IVM_CHECK(isInForce());
    const bool isThere = m_entries.contains(name);
    if (wanted == Wanted::New && isThere)
        return fail(alreadyExistsError(QStringLiteral("view '%1' exists").arg(name))
                        .withCode(u"view_exists")
                        .withHint(u"PUT changes it"));
    if (wanted == Wanted::There && !isThere)
        return fail(
            notFoundError(QStringLiteral("there is no view '%1'").arg(name)).withCode(u"no_view"));
    IVM_TRY(const QByteArray bytes, withEntry(m_bytes, name, entry));
    IVM_TRY(auto definitions, understood(bytes));
    const auto *definition = definitions.find(name);
    // A name that is none is told of under the entry's number.
    if (!definition)
        definition = &definitions.all().last();
    if (definition->isRefused()) {
        Error problem = definition->problems.first();
        problem.place = definition->spec.placeInQuery(problem.place);
        return fail(std::move(problem));
    }
    IVM_CHECK(write(bytes));
    takeOver(bytes, std::move(definitions));
    return {};
}

Status ViewsKeeper::remove(const QString &name)
{
    IVM_CHECK(isNoMigrations(name));
    IVM_CHECK(isInForce());
    IVM_TRY(const QByteArray bytes, withoutEntry(m_bytes, name));
    IVM_TRY(auto definitions, understood(bytes));
    IVM_CHECK(write(bytes));
    takeOver(bytes, std::move(definitions));
    return {};
}

}  // namespace ivm
