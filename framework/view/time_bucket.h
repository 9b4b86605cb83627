// The macro time_bucket('5 minutes', ts): written out in plain SQL that every engine runs.
//
// A bucket of seconds to weeks is counted from Monday 2000-01-03, one of months to years from
// 2000-01-01; those that fill the next larger unit evenly start anew with it, which is the same. In
// a zone, days and what is longer are counted on the zone's clock; other hours and what is shorter
// are as long as they say, from 2000-01-03 00:00 UTC.
// Before it is anything else, a query is expanded; what is planned and sent has no macro.
//
// Pure; any thread.
#pragma once

#include "framework/sql/ast.h"
#include "framework/view/bucket.h"
#include "framework/view/view_spec.h"

#include <QList>

namespace ivm {

// One macro, in the query as it was written.
struct TimeBucket {
    BucketUnit unit = BucketUnit::Minute;
    sql::Span time;  // what it is a bucket of
};

class ExpandedQuery {
public:
    explicit ExpandedQuery(QString text) : m_text(std::move(text)) {}

    const QString &text() const { return m_text; }
    bool isChanged() const { return !m_edits.isEmpty(); }

    // Where something in the text stands in the query as it was written; inside an expansion that
    // is the macro's place.
    sql::Span original(sql::Span span) const;

    // Puts `text` in the place of a span of the query as it was written; spans come in order.
    void replace(sql::Span span, const QString &text);

    const QList<TimeBucket> &macros() const { return m_macros; }
    void add(const TimeBucket &macro) { m_macros.append(macro); }

private:
    struct Edit {
        sql::Span original;
        sql::Span expanded;
    };

    QString m_text;
    QList<Edit> m_edits;
    QList<TimeBucket> m_macros;
};

// Invalid, with the place in `text`, when a macro's width is none, or a macro is inside another.
// `query` is what `text` was parsed to.
Result<ExpandedQuery> expandTimeBuckets(const QString &text, const sql::Query &query);

}  // namespace ivm
