// What the plugin is configured with, checked.
//
// Plain data; any thread.
#pragma once

#include "framework/api/plugin.h"

#include <QUrl>

#include <chrono>

namespace ivm::jdbc {

struct JdbcOptions {
    QString url;       // the driver's, whole
    QString shownUrl;  // as far as its path, for messages
    QString user;
    QMap<QString, QString> properties;  // of the driver; the password, if any, is one of them
    QString accessTokenFile = {};       // empty: no token is sent
    QStringList secrets;                // values that must not be shown
    QUrl publicUrl;                     // where people reach Trino
    QString catalog;
    QString schema;
    QString source;
    QStringList clientTags;
    QMap<QString, QString> sessionProperties;
    QString java;
    int heapMegabytes = 0;
    // How long the driver asks again for an answer that does not come.
    std::chrono::milliseconds retryFor{30'000};
};

// Invalid, naming the option: no URL of the driver's, credentials or a time zone in it, a catalog
// or schema in it that is not the option's, a secret among the open properties, a property that is
// an option of its own or must not be set, what is sent as a header and is not ASCII.
Result<JdbcOptions> readOptions(const PluginOptions &options);

// Invalid: the driver takes no other characters for its headers.
Status checkAscii(const QString &text);

}  // namespace ivm::jdbc
