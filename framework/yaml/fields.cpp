#include "framework/yaml/fields.h"

#include "framework/base/nearest.h"

#include <QHash>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivm {

namespace {

// What a node holds, for messages: "a list", "'abc'".
QString found(const yaml::Node &node)
{
    constexpr qsizetype kShown = 40;
    if (node.kind != yaml::Node::Kind::Scalar)
        return node.kindName();
    const QString text =
        node.text.size() > kShown ? QString(node.text.first(kShown) + u'…') : node.text;
    return u'\'' + QString(text).replace(u'\n', u' ') + u'\'';
}

QString wholeNumber(qint64 least, qint64 most)
{
    using Limits = std::numeric_limits<qint64>;
    if (least == Limits::min() && most == Limits::max())
        return QStringLiteral("a whole number");
    if (most == Limits::max())
        return QStringLiteral("a whole number of at least %1").arg(least);
    return QStringLiteral("a whole number from %1 to %2").arg(least).arg(most);
}

}  // namespace

void sortByPlace(QList<Error> &problems)
{
    std::ranges::stable_sort(problems, {}, [](const Error &problem) {
        return std::pair(problem.place.line, problem.place.column);
    });
}

Fields::Fields(const yaml::Node &map, QString what, QList<Error> &problems)
    : m_map(map), m_what(std::move(what)), m_problems(problems)
{
}

void Fields::report(QString message, const Place &place, const QString &hint)
{
    auto error =
        invalidError(m_what.isEmpty() ? std::move(message) : QString(m_what + u": " + message));
    m_problems.append(std::move(error).withCode(u"config").at(place).withHint(hint));
}

void Fields::reportType(const QString &key, const yaml::Node &node, QStringView wanted,
                        const QString &hint)
{
    report(QStringLiteral("'%1' is %2, expected %3").arg(key, found(node), wanted), node.place,
           hint);
}

const yaml::Node *Fields::node(const QString &key)
{
    if (!m_known.contains(key))
        m_known.append(key);
    const yaml::Node *value = m_map.find(key);
    return value && value->kind != yaml::Node::Kind::Null ? value : nullptr;
}

const yaml::Node *Fields::scalar(const QString &key, QStringView wanted)
{
    const yaml::Node *value = node(key);
    if (value && value->kind != yaml::Node::Kind::Scalar) {
        reportType(key, *value, wanted);
        return nullptr;
    }
    return value;
}

std::optional<QString> Fields::text(const QString &key)
{
    const yaml::Node *value = scalar(key, u"text");
    return value ? std::optional(value->text) : std::nullopt;
}

std::optional<QString> Fields::requiredText(const QString &key)
{
    const yaml::Node *value = scalar(key, u"text");
    if (value && !value->text.trimmed().isEmpty())
        return value->text;
    // An empty value has no place of its own.
    const auto entry = std::ranges::find(m_map.entries, key, &yaml::Entry::key);
    if (entry == m_map.entries.end())
        report(QStringLiteral("'%1' is missing").arg(key), m_map.place);
    else if (value || entry->value.kind == yaml::Node::Kind::Null)
        report(QStringLiteral("'%1' is empty, expected text").arg(key), entry->place);
    return std::nullopt;
}

std::optional<qint64> Fields::integer(const QString &key, qint64 least, qint64 most)
{
    const QString wanted = wholeNumber(least, most);
    const yaml::Node *value = scalar(key, wanted);
    if (!value)
        return std::nullopt;
    bool isNumber = false;
    const qint64 number = value->text.toLongLong(&isNumber);
    if (isNumber && !value->quoted && number >= least && number <= most)
        return number;
    reportType(key, *value, wanted,
               isNumber && value->quoted ? QStringLiteral("Remove the quotes") : QString());
    return std::nullopt;
}

std::optional<double> Fields::number(const QString &key)
{
    const yaml::Node *value = scalar(key, u"a number");
    if (!value)
        return std::nullopt;
    bool isNumber = false;
    const double number = value->text.toDouble(&isNumber);
    if (isNumber && !value->quoted && std::isfinite(number))
        return number;
    reportType(key, *value, u"a number");
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> Fields::seconds(const QString &key)
{
    constexpr double kMost = 100.0 * 365 * 86400;
    constexpr auto kWanted = u"a number of seconds greater than 0";
    const yaml::Node *value = scalar(key, kWanted);
    if (!value)
        return std::nullopt;
    bool isNumber = false;
    const double number = value->text.toDouble(&isNumber);
    if (isNumber && !value->quoted && number >= 0.001 && number <= kMost)
        return std::chrono::milliseconds(std::llround(number * 1000));
    reportType(key, *value, kWanted,
               isNumber && value->quoted ? QStringLiteral("Remove the quotes") : QString());
    return std::nullopt;
}

std::optional<std::chrono::milliseconds> Fields::duration(const QString &key)
{
    static const QHash<QString, qint64> units{{QStringLiteral("ms"), 1},
                                              {QStringLiteral("s"), 1000},
                                              {QStringLiteral("m"), 60'000},
                                              {QStringLiteral("h"), 3'600'000},
                                              {QStringLiteral("d"), 86'400'000}};
    constexpr qint64 kMost = 36500LL * 86'400'000;
    constexpr auto kWanted = u"a duration such as 30s, 5m, 1h or 7d";
    const yaml::Node *value = scalar(key, kWanted);
    if (!value)
        return std::nullopt;
    qsizetype digits = 0;
    while (digits < value->text.size() && value->text[digits] >= u'0' &&
           value->text[digits] <= u'9')
        ++digits;
    const qint64 unit = units.value(value->text.mid(digits).trimmed());
    bool isNumber = false;
    const qint64 number = value->text.first(digits).toLongLong(&isNumber);
    if (isNumber && unit > 0 && number <= kMost / unit)
        return std::chrono::milliseconds(number * unit);
    reportType(key, *value, kWanted);
    return std::nullopt;
}

std::optional<bool> Fields::boolean(const QString &key)
{
    const yaml::Node *value = scalar(key, u"true or false");
    if (!value)
        return std::nullopt;
    const QString word = value->text.toLower();
    if (!value->quoted && (word == u"true" || word == u"yes" || word == u"on"))
        return true;
    if (!value->quoted && (word == u"false" || word == u"no" || word == u"off"))
        return false;
    reportType(key, *value, u"true or false");
    return std::nullopt;
}

std::optional<QString> Fields::word(const QString &key, const QStringList &words)
{
    const QString wanted = QStringLiteral("one of ") + words.join(QStringLiteral(", "));
    const yaml::Node *value = scalar(key, wanted);
    if (!value)
        return std::nullopt;
    for (const QString &known : words) {
        if (known.compare(value->text, Qt::CaseInsensitive) == 0)
            return known;
    }
    reportType(key, *value, wanted, didYouMean(value->text, words));
    return std::nullopt;
}

std::optional<QStringList> Fields::texts(const QString &key)
{
    const yaml::Node *value = list(key);
    if (!value)
        return std::nullopt;
    QStringList out;
    for (const auto &item : value->items) {
        if (item.kind == yaml::Node::Kind::Scalar)
            out.append(item.text);
        else
            report(QStringLiteral("an item of '%1' is %2, expected text").arg(key, found(item)),
                   item.place);
    }
    return out;
}

const yaml::Node *Fields::map(const QString &key)
{
    const yaml::Node *value = node(key);
    if (value && value->kind != yaml::Node::Kind::Map) {
        reportType(key, *value, u"a map");
        return nullptr;
    }
    return value;
}

const yaml::Node *Fields::list(const QString &key)
{
    const yaml::Node *value = node(key);
    if (value && value->kind != yaml::Node::Kind::List) {
        reportType(key, *value, u"a list");
        return nullptr;
    }
    return value;
}

void Fields::finish()
{
    QHash<QString, int> lines;
    for (const auto &entry : m_map.entries) {
        if (const auto first = lines.constFind(entry.key); first != lines.constEnd()) {
            report(QStringLiteral("the key '%1' is given twice, first in line %2")
                       .arg(entry.key, QString::number(*first)),
                   entry.place, QStringLiteral("Remove one of the two"));
            continue;
        }
        lines.insert(entry.key, entry.place.line);
        if (!m_known.contains(entry.key))
            report(QStringLiteral("unknown key '%1'").arg(entry.key), entry.place,
                   nearestHint(entry.key, m_known));
    }
}

}  // namespace ivm
