// Whether the views that migrations own may have changed: by the table that they are in, which is
// looked at with all others, or by time where the history has none.
//
// Threads: one.
#pragma once

#include "framework/api/history.h"
#include "framework/refresh/plan.h"

namespace ivm {

class HistoryWatch {
public:
    using Time = std::chrono::steady_clock::time_point;

    // `interval` passes between two readings where no table tells; and between two looks for a
    // table that is not there yet, which costs a statement of its own on some engines.
    HistoryWatch(std::optional<TableName> table, std::chrono::milliseconds interval)
        : m_table(std::move(table)), m_interval(interval)
    {
    }

    // What a look is to ask for, beside the tables of the views.
    QList<TableName> toLookAt(Time now) const;
    // Whether the history has to be read before what the look has found can be believed. A look
    // that shows its table as it was is as good as a reading.
    bool isOld(const Heads &heads, Time now);

    // The look after which it is read; the reading has worked.
    void beginReading(const Heads &heads);
    void endReading(Time now);

private:
    std::optional<TableName> m_table;
    std::chrono::milliseconds m_interval;
    std::optional<Result<TableHead>> m_known;  // the table's head that the views are known of
    std::optional<Result<TableHead>> m_reading;
    Time m_read;
    bool m_isKnown = false;  // it was read at least once
};

// Two answers of a detector that say the same.
bool sameHead(const Result<TableHead> &left, const Result<TableHead> &right);

}  // namespace ivm
