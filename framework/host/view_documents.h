// What the API tells of a view: its entry in /api/views, and what a text would mean as a view.
//
// An entry is made when it is asked for, and kept as bytes until something happens to its view:
// many people may look at many views. What passes by itself (lag, waiting) is put in each time.
//
// Threads: that of the service. Lifetime: what it is given outlives it.
#pragma once

#include "framework/host/service.h"
#include "framework/host/views_keeper.h"

namespace ivm {

// null where there is none.
QJsonValue secondsJson(std::optional<std::chrono::milliseconds> time);

// What the text of a view that is not refused means, for one who is writing it.
QJsonObject meaningJson(const Definition &definition);

class ViewDocuments final : public QObject {
    Q_OBJECT

public:
    ViewDocuments(Host &host, const ViewsKeeper &views, const Service &service);

    // A JSON object.
    QByteArray entry(const Definition &definition);

    struct List {
        QByteArray text;  // a JSON array
        QByteArray tag;   // another one where the text is another one
    };
    // Of all views; what passes is at most a quarter of a second old. None where making it takes
    // longer than this thread may be kept: ask again, the rest is less.
    std::optional<List> list();

private:
    struct Kept {
        QByteArray text;  // an object's, without its closing brace
        QString status;   // while no refresh of it runs
    };
    const Kept &kept(const Definition &definition);
    QJsonObject lasting(const Definition &definition, const Service::ViewStatus &known) const;
    QJsonObject passing(const Definition &definition, const QString &status) const;
    QJsonValue statementUri(const QString &statement) const;
    void forget(const QString &view);

    Host &m_host;
    const ViewsKeeper &m_views;
    const Service &m_service;
    QHash<QString, Kept> m_kept;
    std::optional<List> m_list;
    Service::Time m_listedAt;
    bool m_isListCurrent = false;
    const QByteArray m_begun;  // of tags: other hosts give others
    quint64 m_lists = 0;
};

}  // namespace ivm
