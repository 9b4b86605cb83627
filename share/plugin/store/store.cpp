#include "store.h"

#include "framework/api/lease_error.h"
#include "framework/base/log.h"

#include <QJsonArray>
#include <QUuid>

using namespace ivm;

namespace example_plugin {

namespace {

const QString kBookmarks = QStringLiteral("bookmarks");
const QString kIntents = QStringLiteral("intents");
const QString kLeases = QStringLiteral("leases");
const QString kRecords = QStringLiteral("records");

QJsonObject table(const QJsonObject &all, const QString &name)
{
    return all.value(name).toObject();
}

void put(QJsonObject &all, const QString &name, const QString &key, const QJsonValue &value)
{
    QJsonObject rows = table(all, name);
    rows.insert(key, value);
    all.insert(name, rows);
}

void remove(QJsonObject &all, const QString &name, const QString &key)
{
    QJsonObject rows = table(all, name);
    rows.remove(key);
    all.insert(name, rows);
}

// What cannot be read is left out: its view is diffed.
std::optional<Bookmark> bookmarkFrom(const QString &view, const QJsonValue &value)
{
    if (value.isUndefined())
        return {};
    auto bookmark = Bookmark::fromJson(value.toString().toUtf8(), view);
    if (bookmark)
        return *std::move(bookmark);
    qCWarning(logStore, "%s; the view will be diffed", qPrintable(bookmark.error().message));
    return {};
}

QDateTime timeIn(const QJsonObject &lease, QStringView key)
{
    return QDateTime::fromString(lease.value(key).toString(), Qt::ISODateWithMs);
}

QJsonObject recordJson(const RefreshRecord &record)
{
    return {{QStringLiteral("action"), record.action},
            {QStringLiteral("reason"), record.reason},
            {QStringLiteral("started"), record.started.toMSecsSinceEpoch()},
            {QStringLiteral("seconds"), record.seconds},
            {QStringLiteral("rowsRead"), record.rowsRead},
            {QStringLiteral("rowsWritten"), record.rowsWritten},
            {QStringLiteral("rowsDeleted"), record.rowsDeleted},
            {QStringLiteral("statementId"), record.statementId},
            {QStringLiteral("error"), record.error}};
}

RefreshRecord recordFrom(const QString &view, const QJsonObject &json)
{
    return {.view = view,
            .action = json.value(u"action").toString(),
            .reason = json.value(u"reason").toString(),
            .started = QDateTime::fromMSecsSinceEpoch(json.value(u"started").toInteger(), Qt::UTC),
            .seconds = json.value(u"seconds").toDouble(),
            .rowsRead = json.value(u"rowsRead").toInteger(),
            .rowsWritten = json.value(u"rowsWritten").toInteger(),
            .rowsDeleted = json.value(u"rowsDeleted").toInteger(),
            .statementId = json.value(u"statementId").toString(),
            .error = json.value(u"error").toString()};
}

}  // namespace

Result<std::unique_ptr<ExampleStore>> ExampleStore::open(const QString &path, const Clock &clock)
{
    std::unique_ptr<ExampleStore> store(new ExampleStore(path, clock));
    IVM_CHECK(store->m_document.write([](QJsonObject &) -> Status { return {}; }));
    return store;
}

Result<QList<Bookmark>> ExampleStore::bookmarks()
{
    QList<Bookmark> out;
    IVM_CHECK(m_document.read([&](const QJsonObject &all) -> Status {
        const QJsonObject rows = table(all, kBookmarks);
        for (auto it = rows.begin(); it != rows.end(); ++it) {
            if (auto bookmark = bookmarkFrom(it.key(), it.value()))
                out.append(*std::move(bookmark));
        }
        return {};
    }));
    return out;
}

Result<std::optional<Bookmark>> ExampleStore::bookmark(const QString &view)
{
    std::optional<Bookmark> out;
    IVM_CHECK(m_document.read([&](const QJsonObject &all) -> Status {
        out = bookmarkFrom(view, table(all, kBookmarks).value(view));
        return {};
    }));
    return out;
}

// One transaction: a crash leaves the intent or the bookmark that follows from it, never neither.
Status ExampleStore::saveBookmark(const Bookmark &bookmark)
{
    return m_document.write([&](QJsonObject &all) -> Status {
        put(all, kBookmarks, bookmark.view, QString::fromUtf8(bookmark.toJson()));
        remove(all, kIntents, bookmark.view);
        return {};
    });
}

Status ExampleStore::forgetBookmark(const QString &view)
{
    return forgetIn({kBookmarks, kIntents}, view);
}

Status ExampleStore::forgetView(const QString &view)
{
    return forgetIn({kBookmarks, kIntents, kRecords}, view);
}

Status ExampleStore::forgetIn(const QStringList &tables, const QString &view)
{
    return m_document.write([&](QJsonObject &all) -> Status {
        for (const QString &name : tables)
            remove(all, name, view);
        return {};
    });
}

Result<std::optional<Intent>> ExampleStore::intent(const QString &view)
{
    std::optional<Intent> out;
    IVM_CHECK(m_document.read([&](const QJsonObject &all) -> Status {
        const QJsonValue found = table(all, kIntents).value(view);
        if (found.isUndefined())
            return {};
        IVM_TRY(out, Intent::fromJson(found.toString().toUtf8(), view));
        return {};
    }));
    return out;
}

Status ExampleStore::saveIntent(const Intent &intent)
{
    return m_document.write([&](QJsonObject &all) -> Status {
        put(all, kIntents, intent.view, QString::fromUtf8(intent.toJson()));
        return {};
    });
}

Status ExampleStore::forgetIntent(const QString &view) { return forgetIn({kIntents}, view); }

// Neither run out, nor of a process that is certainly gone.
bool ExampleStore::isAlive(const QJsonObject &lease) const
{
    const ProcessIdentity process{lease.value(u"machine").toString(),
                                  lease.value(u"pid").toInteger(),
                                  lease.value(u"processStarted").toInteger()};
    return timeIn(lease, u"until") > m_clock.now() && mayLive(process, m_self);
}

QString ExampleStore::end(std::chrono::seconds lifetime) const
{
    return m_clock.now().addSecs(lifetime.count()).toString(Qt::ISODateWithMs);
}

Result<QString> ExampleStore::acquireLease(const LeaseRequest &request)
{
    const QString token = QUuid::createUuid().toString(QUuid::WithoutBraces);
    IVM_CHECK(m_document.write([&](QJsonObject &all) -> Status {
        const QString target = request.target.quoted();
        const QJsonObject held = table(all, kLeases).value(target).toObject();
        if (isAlive(held))
            return fail(leaseHeldError(request.target, held.value(u"owner").toString(),
                                       timeIn(held, u"since"), timeIn(held, u"until")));
        put(all, kLeases, target,
            QJsonObject{{QStringLiteral("token"), token},
                        {QStringLiteral("owner"), request.owner},
                        {QStringLiteral("machine"), m_self.machine},
                        {QStringLiteral("pid"), m_self.pid},
                        {QStringLiteral("processStarted"), m_self.started},
                        {QStringLiteral("since"), m_clock.now().toString(Qt::ISODate)},
                        {QStringLiteral("until"), end(request.lifetime)}});
        return {};
    }));
    return token;
}

Result<QString> ExampleStore::leaseHolder(const TableName &target)
{
    QString owner;
    IVM_CHECK(m_document.read([&](const QJsonObject &all) -> Status {
        const QJsonObject held = table(all, kLeases).value(target.quoted()).toObject();
        if (isAlive(held))
            owner = held.value(u"owner").toString();
        return {};
    }));
    return owner;
}

Status ExampleStore::renewLease(const QString &token, std::chrono::seconds lifetime)
{
    return m_document.write([&](QJsonObject &all) -> Status {
        const QJsonObject leases = table(all, kLeases);
        for (auto it = leases.begin(); it != leases.end(); ++it) {
            QJsonObject lease = it.value().toObject();
            if (lease.value(u"token").toString() != token)
                continue;
            lease.insert(QStringLiteral("until"), end(lifetime));
            put(all, kLeases, it.key(), lease);
            return {};
        }
        return fail(leaseLostError());
    });
}

Status ExampleStore::releaseLease(const QString &token)
{
    return m_document.write([&](QJsonObject &all) -> Status {
        const QJsonObject leases = table(all, kLeases);
        for (auto it = leases.begin(); it != leases.end(); ++it) {
            if (it.value().toObject().value(u"token").toString() == token)
                remove(all, kLeases, it.key());
        }
        return {};
    });
}

Status ExampleStore::addRecords(const QList<RefreshRecord> &records)
{
    return m_document.write([&](QJsonObject &all) -> Status {
        for (const auto &record : records) {
            QJsonArray list = table(all, kRecords).value(record.view).toArray();
            list.prepend(recordJson(record));
            while (list.size() > kRecordsKept)
                list.removeLast();
            put(all, kRecords, record.view, list);
        }
        return {};
    });
}

Result<QList<RefreshRecord>> ExampleStore::records(const QString &view, int most)
{
    QList<RefreshRecord> out;
    IVM_CHECK(m_document.read([&](const QJsonObject &all) -> Status {
        for (const auto &record : table(all, kRecords).value(view).toArray()) {
            if (out.size() >= most)
                break;
            out.append(recordFrom(view, record.toObject()));
        }
        return {};
    }));
    return out;
}

}  // namespace example_plugin
