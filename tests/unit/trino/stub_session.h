// A session whose server is a stub, and which loses its patience quickly.
#pragma once

#include "plugins/executor_trino/session.h"
#include "tests/unit/trino/stub_trino.h"

namespace ivm::trino {

inline TrinoOptions stubOptions(const QUrl &url)
{
    using std::chrono::milliseconds;
    return {.url = url,
            .user = QStringLiteral("ivm"),
            .password = {},
            .accessTokenFile = {},
            .tls = {},
            .roles = {},
            .publicUrl = url,
            .catalog = QStringLiteral("iceberg"),
            .schema = QStringLiteral("main"),
            .source = QStringLiteral("iceberg-ivm"),
            .clientTags = {},
            .sessionProperties = {},
            .patience = {.answer = milliseconds(150),
                         .retryFor = milliseconds(40),
                         .firstPause = milliseconds(1)}};
}

// The rows of an answer as text, or the error.
inline QString shown(const Result<Rows> &rows)
{
    if (!rows)
        return rows.error().text();
    QStringList out;
    for (const auto &row : rows->rows) {
        QStringList values;
        for (const auto &value : row)
            values.append(value.text());
        out.append(values.join(u','));
    }
    return out.join(u';');
}

}  // namespace ivm::trino
