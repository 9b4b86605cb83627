#include "framework/api/rows.h"

#include "framework/api/change.h"
#include "framework/api/executor.h"

#include <bit>
#include <cmath>

namespace ivm {

namespace {

bool sameDouble(double a, double b)
{
    return (std::isnan(a) && std::isnan(b)) ||
           std::bit_cast<quint64>(a) == std::bit_cast<quint64>(b);
}

QString listText(const std::vector<Value> &values)
{
    QStringList parts;
    for (const auto &value : values)
        parts.append(value.text());
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

QString doubleText(double number)
{
    if (std::isnan(number))
        return QStringLiteral("NaN");
    if (std::isinf(number))
        return number > 0 ? QStringLiteral("Infinity") : QStringLiteral("-Infinity");
    return QString::number(number, 'g', QLocale::FloatingPointShortest);
}

}  // namespace

bool Value::operator==(const Value &other) const
{
    const auto *mine = std::get_if<double>(&data);
    const auto *theirs = std::get_if<double>(&other.data);
    if (mine && theirs)
        return sameDouble(*mine, *theirs);
    return data == other.data;
}

QString Value::text() const
{
    struct {
        QString operator()(std::monostate) const { return QStringLiteral("NULL"); }
        QString operator()(bool b) const
        {
            return b ? QStringLiteral("true") : QStringLiteral("false");
        }
        QString operator()(qint64 i) const { return QString::number(i); }
        QString operator()(double d) const { return doubleText(d); }
        QString operator()(const QString &s) const { return s; }
        QString operator()(const QByteArray &bytes) const
        {
            return QStringLiteral("X'%1'").arg(QString::fromLatin1(bytes.toHex().toUpper()));
        }
        QString operator()(const std::vector<Value> &values) const { return listText(values); }
    } print;
    return std::visit(print, data);
}

const Replacement &replacementOf(const Change &change)
{
    return std::visit([](const auto &kind) -> const Replacement & { return kind.replacement; },
                      change);
}

Result<Rows> query(Session &session, const QString &sql, const Call &call)
{
    Rows rows;
    RowSink sink{
        .columns = [&](const QList<Column> &columns) -> Status {
            rows.columns = columns;
            return {};
        },
        .row = [&](Row &&row) -> Status {
            rows.rows.push_back(std::move(row));
            return {};
        },
    };
    IVM_CHECK(session.run(sql, sink, call));
    return rows;
}

Result<StatementResult> execute(Session &session, const QString &sql, const Call &call)
{
    RowSink none;
    return session.run(sql, none, call);
}

}  // namespace ivm
