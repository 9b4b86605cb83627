#include "framework/api/types.h"

#include <utility>

namespace ivm {

namespace {

struct KindName {
    TypeKind kind;
    QLatin1StringView name;
    int defaultPrecision;
};

constexpr int kMaxDecimalDigits = 38;
constexpr int kMaxFractionDigits = 12;
constexpr int kDefaultFractionDigits = 3;
constexpr int kMaxDepth = 32;

// Types spelled as one word. Trino's documentation, "Data types".
constexpr KindName kNames[] = {
    {TypeKind::Boolean, QLatin1StringView("boolean"), 0},
    {TypeKind::Tinyint, QLatin1StringView("tinyint"), 0},
    {TypeKind::Smallint, QLatin1StringView("smallint"), 0},
    {TypeKind::Integer, QLatin1StringView("integer"), 0},
    {TypeKind::Bigint, QLatin1StringView("bigint"), 0},
    {TypeKind::Real, QLatin1StringView("real"), 0},
    {TypeKind::Double, QLatin1StringView("double"), 0},
    {TypeKind::Decimal, QLatin1StringView("decimal"), kMaxDecimalDigits},
    {TypeKind::Varchar, QLatin1StringView("varchar"), 0},
    {TypeKind::Char, QLatin1StringView("char"), 1},
    {TypeKind::Varbinary, QLatin1StringView("varbinary"), 0},
    {TypeKind::Uuid, QLatin1StringView("uuid"), 0},
    {TypeKind::Json, QLatin1StringView("json"), 0},
    {TypeKind::Date, QLatin1StringView("date"), 0},
    {TypeKind::Time, QLatin1StringView("time"), kDefaultFractionDigits},
    {TypeKind::Timestamp, QLatin1StringView("timestamp"), kDefaultFractionDigits},
    {TypeKind::Array, QLatin1StringView("array"), 0},
    {TypeKind::Map, QLatin1StringView("map"), 0},
    {TypeKind::Row, QLatin1StringView("row"), 0},
    {TypeKind::Unknown, QLatin1StringView("unknown"), 0},
};

QLatin1StringView nameOf(TypeKind kind)
{
    for (const auto &entry : kNames) {
        if (entry.kind == kind)
            return entry.name;
    }
    Q_UNREACHABLE();
}

bool isPlainWord(QStringView name)
{
    for (const QChar c : name) {
        if (c != u'_' && !(c >= u'a' && c <= u'z') && !(c >= u'0' && c <= u'9'))
            return false;
    }
    return !name.isEmpty() && !name.front().isDigit();
}

QString fieldText(const TypeField &field)
{
    if (field.name.isEmpty())
        return field.type.text();
    if (isPlainWord(field.name))
        return field.name + u' ' + field.type.text();
    return u'"' + QString(field.name).replace(u'"', QStringLiteral("\"\"")) +
           QStringLiteral("\" ") + field.type.text();
}

// A recursive-descent reader of one type; every method leaves the position behind what it took.
class TypeReader {
public:
    explicit TypeReader(QStringView text) : m_text(text) {}

    Result<Type> readWhole()
    {
        IVM_TRY(Type type, readType(0));
        skipSpace();
        if (m_at != m_text.size())
            return fail(problem());
        return type;
    }

private:
    Error problem() const
    {
        return invalidError(QStringLiteral("'%1' is not a type").arg(m_text.left(200)))
            .withHint(u"Types are spelled as in Trino, for example decimal(12,2) or timestamp(6) "
                      u"with time zone");
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && m_text[m_at].isSpace())
            ++m_at;
    }

    bool take(QChar c)
    {
        skipSpace();
        if (m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }

    QString takeWord()
    {
        skipSpace();
        const qsizetype start = m_at;
        while (m_at < m_text.size() && (m_text[m_at].isLetterOrNumber() || m_text[m_at] == u'_'))
            ++m_at;
        return m_text.sliced(start, m_at - start).toString().toLower();
    }

    bool takeWords(std::initializer_list<QStringView> words)
    {
        const qsizetype start = m_at;
        for (const auto word : words) {
            if (takeWord() != word) {
                m_at = start;
                return false;
            }
        }
        return true;
    }

    // "(n)" or "(n, m)"; absent parts keep their values.
    Status readNumbers(int *first, int *second)
    {
        if (!take(u'('))
            return {};
        IVM_TRY(*first, readNumber());
        if (second && take(u',')) {
            IVM_TRY(*second, readNumber());
        }
        if (!take(u')'))
            return fail(problem());
        return {};
    }

    Result<int> readNumber()
    {
        bool ok = false;
        const int number = takeWord().toInt(&ok);
        if (!ok || number < 0)
            return fail(problem());
        return number;
    }

    Result<QString> readFieldName()
    {
        if (!take(u'"'))
            return takeWord();
        QString name;
        while (m_at < m_text.size()) {
            if (m_text[m_at] != u'"') {
                name += m_text[m_at++];
            } else if (m_text.sliced(m_at).startsWith(u"\"\"")) {
                name += u'"';
                m_at += 2;
            } else {
                ++m_at;
                return name;
            }
        }
        return fail(problem());
    }

    // A row's field is a type, or a name and a type; the second is tried where the first does not
    // end the field.
    Result<TypeField> readField(int depth)
    {
        const qsizetype start = m_at;
        if (auto bare = readType(depth)) {
            skipSpace();
            if (m_at < m_text.size() && (m_text[m_at] == u',' || m_text[m_at] == u')'))
                return TypeField{{}, *bare};
        }
        m_at = start;
        IVM_TRY(QString name, readFieldName());
        IVM_TRY(Type type, readType(depth));
        return TypeField{name, type};
    }

    Result<Type> readNested(TypeKind kind, int depth)
    {
        const qsizetype wanted = kind == TypeKind::Array ? 1 : kind == TypeKind::Map ? 2 : -1;
        Type type{.kind = kind};
        if (!take(u'('))
            return fail(problem());
        do {
            if (kind == TypeKind::Row) {
                IVM_TRY(TypeField field, readField(depth + 1));
                type.fields.append(field);
            } else {
                IVM_TRY(Type part, readType(depth + 1));
                type.fields.append(TypeField{{}, part});
            }
        } while (take(u','));
        if (!take(u')') || (wanted >= 0 && type.fields.size() != wanted))
            return fail(problem());
        return type;
    }

    Result<Type> readTimeZone(Type type, TypeKind withZone)
    {
        IVM_CHECK(readNumbers(&type.precision, nullptr));
        if (type.precision > kMaxFractionDigits)
            return fail(problem());
        if (takeWords({u"with", u"time", u"zone"}))
            type.kind = withZone;
        else
            takeWords({u"without", u"time", u"zone"});
        return type;
    }

    Result<Type> readType(int depth)
    {
        if (depth > kMaxDepth)
            return fail(problem());
        QString word = takeWord();
        if (word == u"int")
            word = QStringLiteral("integer");
        if (word == u"double")
            takeWords({u"precision"});
        if (word == u"interval") {
            if (takeWords({u"year", u"to", u"month"}))
                return Type{.kind = TypeKind::IntervalYearToMonth};
            if (takeWords({u"day", u"to", u"second"}))
                return Type{.kind = TypeKind::IntervalDayToSecond};
            return fail(problem());
        }
        for (const auto &entry : kNames) {
            if (entry.name == word)
                return readParameters({.kind = entry.kind, .precision = entry.defaultPrecision},
                                      depth);
        }
        return fail(problem());
    }

    Result<Type> readParameters(Type type, int depth)
    {
        switch (type.kind) {
        case TypeKind::Array:
        case TypeKind::Map:
        case TypeKind::Row: return readNested(type.kind, depth);
        case TypeKind::Time: return readTimeZone(type, TypeKind::TimeWithTimeZone);
        case TypeKind::Timestamp: return readTimeZone(type, TypeKind::TimestampWithTimeZone);
        case TypeKind::Varchar:
        case TypeKind::Char: IVM_CHECK(readNumbers(&type.precision, nullptr)); return type;
        case TypeKind::Decimal:
            IVM_CHECK(readNumbers(&type.precision, &type.scale));
            if (type.precision < 1 || type.precision > kMaxDecimalDigits ||
                type.scale > type.precision)
                return fail(problem());
            return type;
        default: return type;
        }
    }

    QStringView m_text;
    qsizetype m_at = 0;
};

}  // namespace

bool Type::operator==(const Type &) const = default;

bool Type::isInteger() const
{
    return kind == TypeKind::Tinyint || kind == TypeKind::Smallint || kind == TypeKind::Integer ||
           kind == TypeKind::Bigint;
}

bool Type::isNested() const
{
    return kind == TypeKind::Array || kind == TypeKind::Map || kind == TypeKind::Row;
}

QString Type::text() const
{
    switch (kind) {
    case TypeKind::Decimal: return QStringLiteral("decimal(%1,%2)").arg(precision).arg(scale);
    case TypeKind::Varchar:
        return precision == 0 ? QStringLiteral("varchar")
                              : QStringLiteral("varchar(%1)").arg(precision);
    case TypeKind::Char: return QStringLiteral("char(%1)").arg(precision);
    case TypeKind::Time: return QStringLiteral("time(%1)").arg(precision);
    case TypeKind::TimeWithTimeZone:
        return QStringLiteral("time(%1) with time zone").arg(precision);
    case TypeKind::Timestamp: return QStringLiteral("timestamp(%1)").arg(precision);
    case TypeKind::TimestampWithTimeZone:
        return QStringLiteral("timestamp(%1) with time zone").arg(precision);
    case TypeKind::IntervalYearToMonth: return QStringLiteral("interval year to month");
    case TypeKind::IntervalDayToSecond: return QStringLiteral("interval day to second");
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Row: {
        QStringList parts;
        for (const auto &field : fields)
            parts.append(fieldText(field));
        return nameOf(kind) + u'(' + parts.join(QStringLiteral(", ")) + u')';
    }
    default: return nameOf(kind);
    }
}

Result<Type> parseType(QStringView text) { return TypeReader(text).readWhole(); }

}  // namespace ivm
