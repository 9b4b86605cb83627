// views.yaml as it is in force: follows the file, and changes it for the API.
//
// A file that cannot be used changes nothing: what was in force stays, and problems() says why.
// Threads: that of the object. Lifetime: the host outlives it.
#pragma once

#include "framework/host/host.h"

#include <QDateTime>
#include <QJsonObject>
#include <QObject>
#include <QTimer>

namespace ivm {

class ViewsKeeper final : public QObject {
    Q_OBJECT

public:
    explicit ViewsKeeper(Host &host);

    // The first reading. A file that cannot be used is a problem like later ones: there are no
    // views then.
    void start();
    // Looks at the file now, not at the next tick.
    void reload();
    // The views that migrations own, from now on.
    void setMigrated(const QList<MigratedView> &views);

    const Definitions &definitions() const { return m_definitions; }
    // Of the file as it is on disk; none where it is in force.
    const QList<Error> &problems() const { return m_problems; }
    // An entry as it is written, as JSON; empty where there is none.
    QJsonObject entry(const QString &name) const;

    // What the views would be with the entry: Definitions::find(name) tells whether it is refused.
    // Invalid, Unsupported, where the file cannot be changed so.
    Result<Definitions> tried(const QString &name, const QJsonObject &entry) const;

    enum class Wanted { New, There };
    // Writes the file, and takes it over. AlreadyExists, NotFound, as Wanted says; Conflict (code
    // `file_changed`) where the file on disk is not the one in force; the entry's first problem,
    // with its place in the query, where it is refused; Unavailable where the file cannot be
    // written.
    Status put(const QString &name, const QJsonObject &entry, Wanted wanted);
    Status remove(const QString &name);

Q_SIGNALS:
    // The views that are in force are others now, or the problems are.
    void changed();

private:
    struct Stamp {
        QDateTime modified;
        qint64 size = -1;

        bool operator==(const Stamp &) const = default;
    };

    Stamp stamp() const;
    Result<QByteArray> read() const;
    Status isInForce() const;
    Status isNoMigrations(const QString &name) const;
    Result<Definitions> understood(const QByteArray &bytes) const;
    void look();
    void settle(const QByteArray &bytes);
    Status write(const QByteArray &bytes);
    void takeOver(const QByteArray &bytes, Definitions definitions);
    void setProblems(QList<Error> problems);

    Host &m_host;
    const QString m_path;
    QList<MigratedView> m_migrated;
    QByteArray m_bytes;  // in force; empty where there is no file
    Definitions m_definitions;
    QHash<QString, QJsonObject> m_entries;
    QList<Error> m_problems;
    std::optional<Stamp> m_stamp;           // at the last look
    std::optional<QByteArray> m_unsettled;  // seen once: may be half written
    QTimer m_ticks;
    QTimer m_settling;
};

}  // namespace ivm
