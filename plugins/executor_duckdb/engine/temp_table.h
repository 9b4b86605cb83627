// The result of a query, kept by a connection until the end of this object's life.
//
// One thread, the connection's; the connection outlives it.
#pragma once

#include "plugins/executor_duckdb/engine/connection.h"

namespace ivm::duckdb {

class TempTable {
public:
    // `name` is unique among those that live at the same time on the connection.
    static Result<TempTable> make(Connection &connection, QStringView name, const QString &select,
                                  const Call &call);
    ~TempTable();
    TempTable(TempTable &&other) noexcept
        : m_connection(std::exchange(other.m_connection, nullptr)), m_sql(std::move(other.m_sql))
    {
    }
    TempTable &operator=(TempTable &&) = delete;

    // For FROM.
    const QString &sql() const { return m_sql; }

private:
    TempTable(Connection &connection, QString sql)
        : m_connection(&connection), m_sql(std::move(sql))
    {
    }

    Connection *m_connection;
    QString m_sql;
};

// The one whole number that a query gives.
Result<qint64> countOf(Connection &connection, const QString &select, const Call &call);

}  // namespace ivm::duckdb
