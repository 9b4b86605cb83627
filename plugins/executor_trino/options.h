// What the plugin is configured with, checked.
//
// Plain data; any thread.
#pragma once

#include "framework/api/plugin.h"

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

struct TrinoOptions {
    QUrl url;
    QString user;
    QString password;  // empty: none is sent
    QString catalog;
    QString schema;
    QString source;
    QStringList clientTags;
    QMap<QString, QString> sessionProperties;
    Patience patience;
};

// Invalid, naming the option: no url or user, a url that is not http or https, a password over
// plain http to another machine, control characters in anything that is sent as a header, a time
// zone among the session properties.
Result<TrinoOptions> readOptions(const PluginOptions &options);

}  // namespace ivm::trino
