// The options that a session on Trino has whatever carries it, checked.
//
// Pure functions; any thread.
#pragma once

#include "framework/api/plugin.h"

#include <QUrl>

namespace ivm::trino {

// Invalid, naming the option of the executor, what is wrong with it and what to do.
Error wrongOption(QStringView option, const QString &why, QStringView hint);

// A server's address, without slashes at its end. Invalid, as above.
Result<QUrl> readHttpUrl(QStringView option, const QString &text, QStringView hint);

// One line of printable text, as header values are.
bool fitsHeader(QStringView text);

// The options `client_tags` and `session_properties`. Invalid, as above.
Result<QStringList> readClientTags(const PluginOptions &options);
Result<QMap<QString, QString>> readSessionProperties(const PluginOptions &options);

// Invalid, naming the property: it is none, or one that must not be set.
Status checkSessionProperty(const QString &name, const QString &value);

// Unsupported: what a statement did that sets the session's time zone.
Error timeZoneIsSet();

// The page that Trino itself names in `infoUri`, at the address that people use.
QString statementPage(const QUrl &publicUrl, const QString &statementId);

}  // namespace ivm::trino
