#include "framework/view/time_bucket.h"

#include "framework/sql/visit.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm {

namespace {

struct Width {
    int count = 1;
    BucketUnit unit = BucketUnit::Minute;
};

std::optional<Width> parseWidth(const QString &text)
{
    static const QRegularExpression pattern(QStringLiteral("^([0-9]{1,6}) +([a-z]+?)s?$"));
    const auto match = pattern.match(text.trimmed().toLower());
    if (!match.hasMatch())
        return {};
    const auto unit = bucketUnitFromName(match.captured(2));
    const int count = match.captured(1).toInt();
    if (!unit || count < 1)
        return {};
    const bool areQuarters = unit == BucketUnit::Quarter && count > 1;
    return areQuarters ? Width{3 * count, BucketUnit::Month} : Width{count, unit.value()};
}

// How many units a time is past the start of its bucket. Days and what is longer are counted on
// the clock that shows the time, whatever its zone.
QString unitsPast(const Width &width, const QString &time, const QString &start)
{
    const QString unit = bucketUnitName(width.unit);
    const QString count = QString::number(width.count);
    const int whole = perNextUnit(width.unit);
    if (whole > 0 && whole % width.count == 0) {
        const QString part = QStringLiteral("%1(%2)").arg(unit, time);
        const bool fromOne = width.unit == BucketUnit::Month;
        return QStringLiteral("%1 % %2").arg(fromOne ? QStringLiteral("(%1 - 1)").arg(part) : part,
                                             count);
    }
    const QString between =
        width.unit < BucketUnit::Day
            ? QStringLiteral("TIMESTAMP '2000-01-03 00:00:00', %1").arg(start)
            : QStringLiteral("DATE '%1', CAST(%2 AS date)")
                  .arg(width.unit < BucketUnit::Month ? u"2000-01-03" : u"2000-01-01", start);
    return QStringLiteral("(date_diff('%1', %2) % %3 + %3) % %3").arg(unit, between, count);
}

// A day that starts at 01:00, for its midnight was skipped, is not so many days after one that
// starts at midnight: the sum is truncated once more.
QString expansion(const Width &width, const QString &time)
{
    const QString unit = bucketUnitName(width.unit);
    const QString start = QStringLiteral("date_trunc('%1', %2)").arg(unit, time);
    if (width.count == 1)
        return start;
    const QString moved =
        QStringLiteral("date_add('%1', -(%2), %3)").arg(unit, unitsPast(width, time, start), start);
    return width.unit < BucketUnit::Day ? moved
                                        : QStringLiteral("date_trunc('%1', %2)").arg(unit, moved);
}

bool isTimeBucket(const sql::ExprPtr &expr)
{
    const auto *call = sql::as<sql::FunctionCall>(expr);
    return call && call->name.parts.size() == 1 &&
           sql::sameName(call->name.last().value, u"time_bucket");
}

Status expand(const sql::ExprPtr &macro, const QString &text, ExpandedQuery &expanded)
{
    const auto refuse = [&](const sql::ExprPtr &at, QString message) {
        Error error = invalidError(std::move(message))
                          .withCode(u"time_bucket")
                          .withHint(u"Write time_bucket('5 minutes', ts), with any unit from "
                                    u"millisecond to year");
        error.place = sql::placeOf(text, at->span.begin);
        return fail(std::move(error));
    };
    const auto &arguments = sql::as<sql::FunctionCall>(macro)->arguments;
    if (arguments.size() != 2)
        return refuse(macro, QStringLiteral("time_bucket() takes a width and a time, not %1 %2")
                                 .arg(arguments.size())
                                 .arg(arguments.size() == 1 ? u"argument" : u"arguments"));
    const auto *literal = sql::as<sql::StringLiteral>(arguments[0]);
    const auto width = literal ? parseWidth(literal->value) : std::nullopt;
    if (!width)
        return refuse(arguments[0], QStringLiteral("%1 is not the width of a bucket")
                                        .arg(arguments[0]->span.of(text).left(60)));
    std::optional<QString> inner;
    sql::forEachExpression(arguments[1], [&](const sql::ExprPtr &part) {
        if (isTimeBucket(part))
            inner = part->span.of(text).left(60).toString();
    });
    if (inner)
        return refuse(macro, QStringLiteral("%1 is inside another time_bucket()").arg(*inner));
    expanded.replace(macro->span, expansion(*width, arguments[1]->span.of(text).toString()));
    expanded.add({width->unit, arguments[1]->span});
    return {};
}

}  // namespace

sql::Span ExpandedQuery::original(sql::Span span) const
{
    const auto at = [&](qsizetype offset, bool isEnd) {
        qsizetype moved = offset;
        for (const auto &edit : m_edits) {
            const auto &there = edit.expanded;
            if (offset < there.begin || (isEnd && offset == there.begin))
                break;
            if (offset < there.end || (isEnd && offset == there.end))
                return isEnd ? edit.original.end : edit.original.begin;
            moved = offset - there.end + edit.original.end;
        }
        return moved;
    };
    return {at(span.begin, false), at(span.end, true)};
}

void ExpandedQuery::replace(sql::Span span, const QString &text)
{
    const qsizetype moved =
        m_edits.isEmpty() ? 0 : m_edits.last().expanded.end - m_edits.last().original.end;
    const qsizetype begin = span.begin + moved;
    m_text.replace(begin, span.size(), text);
    m_edits.append({span, {begin, begin + text.size()}});
}

Result<ExpandedQuery> expandTimeBuckets(const QString &text, const sql::Query &query)
{
    QList<sql::ExprPtr> macros;
    sql::Visitor visitor;
    visitor.expression = [&](const sql::ExprPtr &expr) {
        if (!isTimeBucket(expr))
            return sql::Walk::Into;
        macros.append(expr);
        return sql::Walk::Skip;
    };
    sql::visit(query, visitor);
    std::ranges::sort(macros, {}, [](const auto &macro) { return macro->span.begin; });
    ExpandedQuery expanded(text);
    for (const auto &macro : macros)
        IVM_CHECK(expand(macro, text, expanded));
    return expanded;
}

}  // namespace ivm
