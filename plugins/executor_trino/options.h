// What the plugin is configured with, checked.
//
// Plain data; any thread.
#pragma once

#include "plugins/trino_sql/session_options.h"

#include <QUrl>

#include <chrono>

namespace ivm::trino {

// How long a server that does not answer is waited for, and how often it is asked again.
struct Patience {
    std::chrono::milliseconds answer{
        60'000};  // for one answer; Trino itself answers within seconds
    std::chrono::milliseconds retryFor{30'000};
    std::chrono::milliseconds firstPause{50};  // doubled each time, up to a second
};

// PEM files, by absolute path; empty: none. They are read when a session opens.
struct TlsFiles {
    QString authorities;  // in place of the system's
    QString certificate;
    QString key;
    QString keyPassword;
};

struct TrinoOptions {
    QUrl url;
    QString user;
    QString password;         // empty: none is sent
    QString accessTokenFile;  // empty: no token is sent
    TlsFiles tls;
    QMap<QString, QString> roles;  // catalog to ROLE{name}, ALL or NONE
    QUrl publicUrl;                // where people reach Trino; `url` unless told
    QString catalog;
    QString schema;
    QString source;
    QStringList clientTags;
    QMap<QString, QString> sessionProperties;
    Patience patience;
};

// Invalid, naming the option: no url or user, a url that is not http or https, a password or token
// over plain http to another machine unless that is allowed, both of them, a key without a
// certificate, control characters in anything that is sent as a header, a time zone among the
// session properties.
Result<TrinoOptions> readOptions(const PluginOptions &options);

}  // namespace ivm::trino
