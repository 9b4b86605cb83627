// One answer of Trino's statement protocol.
//
// Plain data; any thread. Source: Trino's documentation, "Trino client REST API".
#pragma once

#include "framework/api/executor.h"
#include "plugins/trino_sql/errors.h"

#include <QUrl>

namespace ivm::trino {

struct Page {
    QByteArray bytes;  // what `data` looks into
    QString id;
    QUrl nextUri;   // empty: the statement is over
    QString state;  // QUEUED, RUNNING … for people only
    std::optional<QList<Column>> columns;
    JsonItems data;
    std::optional<TrinoError> error;
    QString updateType;
    std::optional<qint64> updateCount;
    QStringList warnings;  // for people
    qint64 processedRows = 0;
    qint64 processedBytes = 0;
};

// Corrupt, naming what does not fit; Unsupported for columns of types this product does not know,
// and for results that the server keeps elsewhere (spooling).
Result<Page> readPage(const QByteArray &bytes);
// The same, of what was read from `bytes` already.
Result<Page> readPage(JsonNode root, const QByteArray &bytes);

}  // namespace ivm::trino
