// Rows as an engine returns them, without loss.
//
// Plain data; any thread.
#pragma once

#include "framework/api/table.h"

#include <QByteArray>

#include <functional>
#include <variant>
#include <vector>

namespace ivm {

// One value. Which alternative holds it follows from the column's type:
// - NULL: monostate
// - boolean: bool
// - tinyint … bigint: qint64
// - real, double: double, NaN and infinities included
// - varbinary: QByteArray
// - array, row, map: std::vector<Value>, of a map its keys and values in turn, in no order
// - all others: QString, spelled as Trino prints it: decimal "1.50", date "2001-01-31",
//   timestamp(6) "2001-01-31 12:00:00.000000", with time zone "… UTC", uuid, interval, json
struct Value {
    std::variant<std::monostate, bool, qint64, double, QString, QByteArray, std::vector<Value>>
        data;

    bool isNull() const { return std::holds_alternative<std::monostate>(data); }
    // Bit by bit, except that NaN equals NaN and NULL equals NULL. (0.0 and -0.0 differ.)
    bool operator==(const Value &other) const;
    // For people: NULL, true, 12, 1.5, text as it is, X'…', [a, b].
    QString text() const;
};

using Row = std::vector<Value>;

struct Rows {
    QList<Column> columns;
    std::vector<Row> rows;
};

// Takes rows as they arrive. `columns` is called once, before the first row; an error stops the
// statement. What is not given takes everything and keeps nothing.
struct RowSink {
    std::function<Status(const QList<Column> &)> columns = [](const auto &) { return Status(); };
    std::function<Status(Row &&)> row = [](Row &&) { return Status(); };
};

}  // namespace ivm
