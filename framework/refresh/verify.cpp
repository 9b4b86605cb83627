#include "framework/refresh/verify.h"

#include "framework/refresh/known_bookmark.h"
#include "framework/refresh/settle.h"
#include "framework/refresh/view_session.h"
#include "framework/view/rewrite.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm {

namespace {

constexpr size_t kMostSampleRows = 10;

QString joined(const QStringList &parts) { return parts.join(QStringLiteral(", ")); }

// ColumnClass::Float, of two values. The 1e308 keeps an infinite difference from passing as small
// against an infinite value.
QString sameFloat(const QString &a, const QString &b)
{
    return QStringLiteral("coalesce(%1 = %2 OR (is_nan(%1) AND is_nan(%2)) OR abs(%1 - %2) <= "
                          "least(1e-9 * greatest(abs(%1), abs(%2), 1e-300), 1e308), %1 IS NULL AND "
                          "%2 IS NULL)")
        .arg(a, b);
}

// The statement's parts. Both sides are read under the names c0, c1 …; `side` is 1 for wanted rows
// and -1 for stored ones.
class Comparison {
public:
    Comparison(const QList<OutputColumn> &outputs, QString wanted, QString stored,
               QString condition)
        : m_outputs(outputs), m_wanted(std::move(wanted)), m_stored(std::move(stored)),
          m_condition(std::move(condition))
    {
        for (qsizetype i = 0; i < outputs.size(); ++i) {
            const auto columnClass = outputs[i].columnClass;
            if (columnClass == ColumnClass::Key)
                m_keys.append(name(i));
            if (columnClass == ColumnClass::Key || columnClass == ColumnClass::Exact)
                m_exact.append(i);
            else if (columnClass == ColumnClass::Float)
                m_floats.append(i);
            else
                m_lenient.append(i);
        }
    }

    const QList<qsizetype> &exact() const { return m_exact; }
    const QList<qsizetype> &floats() const { return m_floats; }
    const QList<qsizetype> &lenient() const { return m_lenient; }

    // Rows that differ: balance, exact columns, then each float column as wanted and as stored.
    QString differences() const
    {
        QStringList columns{QStringLiteral("sum(side)")};
        QStringList grouped;
        QStringList sameFloats;
        for (const qsizetype i : m_exact)
            grouped.append(name(i));
        for (const qsizetype i : m_floats) {
            columns.append(ofSide(i, u"1"));
            columns.append(ofSide(i, u"-1"));
            sameFloats.append(QStringLiteral(" OR NOT ") +
                              sameFloat(ofSide(i, u"1"), ofSide(i, u"-1")));
        }
        return QStringLiteral("SELECT %1 FROM (%2) AS sides GROUP BY %3 HAVING sum(side) <> 0 OR "
                              "count(*) <> 2%4")
            .arg(joined(columns.mid(0, 1) + grouped + columns.mid(1)), bothSides(),
                 groups(grouped + signs()), sameFloats.join(QString()));
    }

    // How many keys differ in each lenient column.
    QString lenientDifferences() const
    {
        QStringList counts;
        QStringList flags;
        for (const qsizetype i : m_lenient) {
            flags.append(QStringLiteral("max_by(%1, side) IS DISTINCT FROM min_by(%1, side) AS d%2")
                             .arg(name(i), QString::number(i)));
            counts.append(QStringLiteral("count(CASE WHEN d%1 THEN 1 END)").arg(i));
        }
        return QStringLiteral("SELECT %1 FROM (SELECT %2 FROM (%3) AS sides GROUP BY %4) AS flags")
            .arg(joined(counts), joined(flags), bothSides(), groups(m_keys));
    }

private:
    // Exact columns are compared by their bits, and grouping takes -0.0 for 0.0.
    QStringList signs() const
    {
        QStringList below;
        for (const qsizetype i : m_exact) {
            if (m_outputs[i].columnClass == ColumnClass::Exact && m_outputs[i].type.isFloat())
                below.append(QStringLiteral("1e0 / %1 < 0e0").arg(name(i)));
        }
        return below;
    }

    // One group where there is nothing to group by.
    static QString groups(const QStringList &expressions)
    {
        return expressions.isEmpty() ? QStringLiteral("()") : joined(expressions);
    }

    static QString name(qsizetype index) { return QStringLiteral("c%1").arg(index); }

    static QString ofSide(qsizetype index, QStringView side)
    {
        return QStringLiteral("max(CASE WHEN side = %1 THEN %2 END)").arg(side, name(index));
    }

    QString bothSides() const
    {
        QStringList names;
        QStringList casts;
        for (qsizetype i = 0; i < m_outputs.size(); ++i) {
            names.append(name(i));
            casts.append(
                QStringLiteral("CAST(%1 AS %2) AS %1").arg(name(i), m_outputs[i].type.text()));
        }
        const QString where =
            m_condition.isEmpty() ? QString() : QStringLiteral(" WHERE ") + m_condition;
        // A line break before the parenthesis: the query may end with a comment.
        return QStringLiteral("SELECT %1, 1 AS side FROM (%2\n) AS wanted(%3)%4 UNION ALL "
                              "SELECT %1, -1 AS side FROM (%5) AS stored(%3)%4")
            .arg(joined(casts), m_wanted, joined(names), where, m_stored);
    }

    const QList<OutputColumn> &m_outputs;
    QString m_wanted;
    QString m_stored;
    QString m_condition;
    QStringList m_keys;
    QList<qsizetype> m_exact;
    QList<qsizetype> m_floats;
    QList<qsizetype> m_lenient;
};

Result<QString> numberLiteral(const QString &text)
{
    bool isNumber = false;
    const qint64 number = text.toLongLong(&isNumber);
    if (isNumber)
        return QString::number(number);
    return fail(invalidError(QStringLiteral("'%1' is not a whole number").arg(text))
                    .withCode(u"bad_range")
                    .withHint(u"The view's buckets are numbers: write one"));
}

Result<QString> boundLiteral(const Type &type, const QString &text)
{
    if (type.isInteger())
        return numberLiteral(text);
    static const QRegularExpression shape(
        QStringLiteral("^\\d{4}-\\d{2}-\\d{2}([ T]\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?)?$"));
    if (!shape.match(text).hasMatch() ||
        !QDateTime::fromString(QString(text).replace(u' ', u'T'), Qt::ISODate).isValid())
        return fail(invalidError(QStringLiteral("'%1' is not a point in time").arg(text))
                        .withCode(u"bad_range")
                        .withHint(u"Write it as 2001-01-31 or 2001-01-31 12:00:00, in UTC"));
    QString plain = text;
    plain.replace(u'T', u' ');
    if (type.is(TypeKind::Date) && plain.size() > 10)
        return fail(
            invalidError(
                QStringLiteral("'%1' has a time, and the view's buckets are dates").arg(text))
                .withCode(u"bad_range")
                .withHint(QStringLiteral("Write %1").arg(plain.left(10))));
    if (type.is(TypeKind::Date))
        return QStringLiteral("DATE '%1'").arg(plain);
    if (plain.size() == 10)
        plain += QStringLiteral(" 00:00:00");
    const QStringView zone = type.is(TypeKind::TimestampWithTimeZone) ? u" UTC" : u"";
    return QStringLiteral("TIMESTAMP '%1%2'").arg(plain, zone);
}

bool isBefore(const QString &from, const QString &to)
{
    bool isNumber = false;
    bool areNumbers = false;
    const qint64 first = from.toLongLong(&isNumber);
    const qint64 second = to.toLongLong(&areNumbers);
    if (isNumber && areNumbers)
        return first < second;
    return QString(from).replace(u'T', u' ') < QString(to).replace(u'T', u' ');
}

Result<QString> rangeConditionOf(const View &view, const QList<OutputColumn> &outputs,
                                 const VerifyRange &range)
{
    if (range.from.isEmpty() && range.to.isEmpty())
        return QString();
    if (!view.shape.bucket)
        return fail(invalidError(QStringLiteral("view '%1' has no time bucket to take a range of")
                                     .arg(view.spec.name))
                        .withCode(u"bad_range")
                        .withHint(u"Verify it whole: leave --from and --to out"));
    if (!range.from.isEmpty() && !range.to.isEmpty() && !isBefore(range.from, range.to))
        return fail(
            invalidError(
                QStringLiteral("there is nothing from '%1' to '%2'").arg(range.from, range.to))
                .withCode(u"bad_range")
                .withHint(u"The first is the first bucket, the second the one after the "
                          u"last"));
    const qsizetype index = view.shape.bucket->output;
    QStringList parts;
    if (!range.from.isEmpty()) {
        IVM_TRY(const QString literal, boundLiteral(outputs[index].type, range.from));
        parts.append(QStringLiteral("c%1 >= %2").arg(index).arg(literal));
    }
    if (!range.to.isEmpty()) {
        IVM_TRY(const QString literal, boundLiteral(outputs[index].type, range.to));
        parts.append(QStringLiteral("c%1 < %2").arg(index).arg(literal));
    }
    return parts.join(QStringLiteral(" AND "));
}

// The target's rows as a reader gets them now, in the order of the outputs: what somebody else did
// to them, or to its columns, counts too. So no pin, which would show the columns of its time.
QString storedQuery(const Bookmark &bookmark)
{
    QStringList columns;
    for (const auto &output : bookmark.outputs)
        columns.append(quotedIdentifier(output.name));
    return QStringLiteral("SELECT %1 FROM %2").arg(joined(columns), bookmark.target.quoted());
}

Result<TableHead> headOf(Detector &detector, const TableName &table, const Call &call)
{
    IVM_TRY(const auto heads, detector.heads({{.table = table}}, call));
    if (heads.size() != 1)
        return fail(
            internalError(QStringLiteral("the detector did not answer for %1").arg(table.text())));
    return heads.front();
}

// An error of a statement that the user never saw.
Error ofComparison(Error error, const View &view)
{
    const bool isGone = error.kind == ErrorKind::NotFound || error.kind == ErrorKind::Invalid;
    error.place = view.spec.queryPlace;
    if (isGone)
        error.hint = QStringLiteral("What it was made from cannot be read any more. Run: ivmctl "
                                    "refresh %1")
                         .arg(view.spec.name);
    return std::move(error).during(QStringLiteral("view '%1'").arg(view.spec.name));
}

Error notRefreshed(const View &view)
{
    return notFoundError(QStringLiteral("view '%1' has not been refreshed with this definition yet")
                             .arg(view.spec.name))
        .withHint(QStringLiteral("Run: ivmctl refresh %1").arg(view.spec.name));
}

// Where the sources are read: at the bookmark's snapshots, and where those have other columns than
// the table (or none is there), at a head that still is the bookmark's.
Result<Pins> pinsOf(RefreshServices &services, const View &view, const Bookmark &bookmark,
                    const Call &call)
{
    IVM_TRY(const Executor *executor, services.executor());
    const bool pinsAll = executor->can(Capability::PinsCurrentSchema);
    Pins pins;
    for (const auto &source : view.shape.sources) {
        const auto mark = std::ranges::find(bookmark.sources, source.table, &SourceMark::table);
        if (mark == bookmark.sources.end())
            return fail(notRefreshed(view));
        if (mark->head.snapshot && (mark->pinnable || pinsAll)) {
            pins.insert(mark->table, *mark->head.snapshot);
            continue;
        }
        IVM_TRY(const TableHead now, headOf(services.detector, mark->table, call));
        if (!mark->exact || now.token != mark->head.token)
            return fail(
                conflictError(
                    QStringLiteral("view '%1': source %2 changed since the last refresh, and "
                                   "cannot be read as it was then")
                        .arg(view.spec.name, mark->table.text()))
                    .withHint(QStringLiteral("Run: ivmctl refresh %1").arg(view.spec.name)));
    }
    return pins;
}

// Takes the rows of Comparison::differences().
class DifferenceCounter {
public:
    DifferenceCounter(const Comparison &comparison, const QList<OutputColumn> &outputs,
                      VerifyOutcome &outcome)
        : m_comparison(comparison), m_outputs(outputs), m_outcome(outcome)
    {
        outcome.sampleColumns.append(
            {.name = QStringLiteral("side"), .type = {.kind = TypeKind::Varchar}});
        for (const qsizetype i : comparison.exact() + comparison.floats())
            outcome.sampleColumns.append({.name = outputs[i].name, .type = outputs[i].type});
    }

    Status take(const Row &row)
    {
        const auto *balance = std::get_if<qint64>(&row.front().data);
        if (!balance)
            return fail(internalError(QStringLiteral("verify: a row without a balance")));
        const bool both = *balance == 0;
        m_outcome.missing += both ? 1 : std::max<qint64>(*balance, 0);
        m_outcome.extra += both ? 1 : std::max<qint64>(-*balance, 0);
        if (both || *balance > 0)
            addSample(row, u"missing", 0);
        if (both || *balance < 0)
            addSample(row, u"extra", 1);
        return {};
    }

private:
    void addSample(const Row &row, QStringView side, size_t offset)
    {
        if (m_outcome.sample.size() >= kMostSampleRows)
            return;
        Row shown{Value{side.toString()}};
        const auto exact = size_t(m_comparison.exact().size());
        for (size_t i = 0; i < exact; ++i)
            shown.push_back(row[1 + i]);
        for (size_t i = 0; i < size_t(m_comparison.floats().size()); ++i)
            shown.push_back(row[1 + exact + 2 * i + offset]);
        m_outcome.sample.push_back(std::move(shown));
    }

    const Comparison &m_comparison;
    const QList<OutputColumn> &m_outputs;
    VerifyOutcome &m_outcome;
};

Status countLenient(Session &session, const Comparison &comparison,
                    const QList<OutputColumn> &outputs, VerifyOutcome &outcome, const Call &call)
{
    if (comparison.lenient().isEmpty())
        return {};
    IVM_TRY(const Rows rows, query(session, comparison.lenientDifferences(), call));
    for (qsizetype i = 0; i < comparison.lenient().size(); ++i) {
        const auto &output = outputs[comparison.lenient()[i]];
        const auto *count =
            rows.rows.empty() ? nullptr : std::get_if<qint64>(&rows.rows.front()[size_t(i)].data);
        if (count && *count > 0)
            outcome.reported.append({output.name, output.columnClass, *count});
    }
    return {};
}

}  // namespace

Result<VerifyOutcome> verifyView(RefreshServices &services, const View &view,
                                 const VerifyRange &range, const Call &call)
{
    const LeaseRequest request{.target = view.spec.target, .owner = services.owner};
    IVM_TRY(const auto lease, Lease::acquire(services.store, request, call));
    IVM_TRY(Executor * executor, services.executor());
    IVM_TRY(const auto session, openViewSession(*executor, view.spec, lease->call()));
    const auto open = [&]() -> Result<Session *> { return session.get(); };
    IVM_CHECK(settleOpenIntent(services.store, view.spec.name, open, lease->call()));
    IVM_TRY(const auto bookmark, knownBookmark(services, view, open, lease->call()));
    if (!bookmark || bookmark->definitionHash != view.spec.definitionHash())
        return fail(notRefreshed(view));
    if (!bookmark->resumeFrom.isEmpty())
        return fail(
            conflictError(QStringLiteral("view '%1' is still being built, and has come to %2")
                              .arg(view.spec.name, bookmark->resumeFrom))
                .withHint(QStringLiteral("Run: ivmctl refresh %1").arg(view.spec.name)));
    const auto &outputs = bookmark->outputs;
    IVM_TRY(const QString condition, rangeConditionOf(view, outputs, range));
    IVM_TRY(const Pins pins, pinsOf(services, view, *bookmark, lease->call()));
    const Comparison comparison(outputs, pinnedQuery(view.shape, pins), storedQuery(*bookmark),
                                condition);

    VerifyOutcome outcome;
    outcome.view = view.spec.name;
    DifferenceCounter counter(comparison, outputs, outcome);
    RowSink sink{.row = [&](Row &&row) -> Status { return counter.take(row); }};
    if (const auto compared = session->run(comparison.differences(), sink, lease->call());
        !compared)
        return fail(ofComparison(compared.error(), view));
    if (auto counted = countLenient(*session, comparison, outputs, outcome, lease->call());
        !counted)
        return fail(ofComparison(std::move(counted).error(), view));
    outcome.equal = outcome.missing == 0 && outcome.extra == 0;
    return outcome;
}

}  // namespace ivm
