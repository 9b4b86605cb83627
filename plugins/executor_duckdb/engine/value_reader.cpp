#include "plugins/executor_duckdb/engine/value_reader.h"

#include "plugins/executor_duckdb/engine/handles.h"
#include "plugins/executor_duckdb/engine/spelling.h"

#include <limits>

namespace ivm::duckdb {

namespace {

constexpr qint64 kMillis = 1'000;
constexpr qint64 kMicros = 1'000'000;
constexpr qint64 kNanos = 1'000'000'000;
constexpr qint64 kNanosPerMicro = 1'000;
constexpr int kMicroDigits = 6;

QString takeText(char *text)
{
    const QString taken = QString::fromUtf8(text);
    duckdb_free(text);
    return taken;
}

template <typename T>
const T &at(duckdb_vector vector, idx_t row)
{
    return static_cast<const T *>(duckdb_vector_get_data(vector))[row];
}

QByteArray bytesAt(duckdb_vector vector, idx_t row)
{
    auto text = at<duckdb_string_t>(vector, row);
    return QByteArray(duckdb_string_t_data(&text), duckdb_string_t_length(text));
}

Int128 wide(const duckdb_hugeint &number)
{
    return static_cast<Int128>(
        static_cast<unsigned __int128>(static_cast<quint64>(number.upper)) << 64 | number.lower);
}

Value text(QString spelled) { return Value{std::move(spelled)}; }
Value number(qint64 value) { return Value{value}; }

Type childOf(const Type &wanted, qsizetype index)
{
    return index < wanted.fields.size() ? wanted.fields[index].type : Type{};
}

bool hasZone(const Type &type) { return type.is(TypeKind::TimestampWithTimeZone); }

Value timestamp(qint64 units, qint64 perSecond, const Type &wanted, bool zone)
{
    const bool typed = wanted.is(TypeKind::Timestamp) || hasZone(wanted);
    const QString spelled =
        timestampText(units, perSecond, typed ? wanted.precision : kMicroDigits);
    return text(zone ? QString(spelled + QStringLiteral(" UTC")) : spelled);
}

Value time(qint64 nanos, const Type &wanted)
{
    return text(timeText(nanos, wanted.is(TypeKind::Time) ? wanted.precision : kMicroDigits));
}

Value timeWithZone(const duckdb_time_tz &packed, const Type &wanted)
{
    const auto parts = duckdb_from_time_tz(packed);
    const auto seconds =
        static_cast<qint64>(parts.time.hour) * 3600 + parts.time.min * 60 + parts.time.sec;
    const int digits = wanted.is(TypeKind::TimeWithTimeZone) ? wanted.precision : kMicroDigits;
    const qint64 offset = qAbs(parts.offset) / 60;
    return text(timeText(seconds * kNanos + parts.time.micros * kNanosPerMicro, digits) +
                QStringLiteral("%1%2:%3")
                    .arg(QChar(parts.offset < 0 ? u'-' : u'+'))
                    .arg(offset / 60, 2, 10, QLatin1Char('0'))
                    .arg(offset % 60, 2, 10, QLatin1Char('0')));
}

Value interval(const duckdb_interval &value, const Type &wanted)
{
    constexpr qint64 kMicrosPerDay = 86'400'000'000;
    if (wanted.is(TypeKind::IntervalYearToMonth))
        return text(yearToMonthText(value.months));
    return text(dayToSecondText(value.days * kMicrosPerDay + value.micros));
}

bool isPlain(duckdb_type type)
{
    switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS:
    case DUCKDB_TYPE_TIME_TZ:
    case DUCKDB_TYPE_INTERVAL:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_UUID:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_ENUM:
    case DUCKDB_TYPE_SQLNULL: return true;
    default: return false;
    }
}

Error unsupported(QStringView column)
{
    return unsupportedError(
               QStringLiteral("column '%1' has a DuckDB type that Trino's types have no place for")
                   .arg(column))
        .withHint(u"Cast it to a type that both have");
}

}  // namespace

Result<ValueReader> ValueReader::make(duckdb_logical_type type, const Type &wanted,
                                      QStringView column)
{
    ValueReader reader;
    reader.m_type = duckdb_get_type_id(type);
    reader.m_wanted = wanted;
    const auto child = [&](duckdb_logical_type handle, qsizetype index) -> Status {
        const LogicalType owned(handle);
        IVM_TRY(ValueReader made, make(owned.handle, childOf(wanted, index), column));
        reader.m_children.push_back(std::move(made));
        return {};
    };
    switch (reader.m_type) {
    case DUCKDB_TYPE_DECIMAL:
        reader.m_storage = duckdb_decimal_internal_type(type);
        reader.m_scale = duckdb_decimal_scale(type);
        break;
    case DUCKDB_TYPE_ENUM:
        reader.m_storage = duckdb_enum_internal_type(type);
        for (idx_t value = 0; value < duckdb_enum_dictionary_size(type); ++value)
            reader.m_enumValues.append(takeText(duckdb_enum_dictionary_value(type, value)));
        break;
    case DUCKDB_TYPE_LIST: IVM_CHECK(child(duckdb_list_type_child_type(type), 0)); break;
    case DUCKDB_TYPE_ARRAY:
        reader.m_arraySize = duckdb_array_type_array_size(type);
        IVM_CHECK(child(duckdb_array_type_child_type(type), 0));
        break;
    case DUCKDB_TYPE_MAP:
        IVM_CHECK(child(duckdb_map_type_key_type(type), 0));
        IVM_CHECK(child(duckdb_map_type_value_type(type), 1));
        break;
    case DUCKDB_TYPE_STRUCT:
        for (idx_t field = 0; field < duckdb_struct_type_child_count(type); ++field)
            IVM_CHECK(
                child(duckdb_struct_type_child_type(type, field), static_cast<qsizetype>(field)));
        break;
    default:
        if (!isPlain(reader.m_type))
            return fail(unsupported(column));
    }
    return reader;
}

Result<Value> ValueReader::read(duckdb_vector vector, idx_t row) const
{
    auto *validity = duckdb_vector_get_validity(vector);
    if (validity && !duckdb_validity_row_is_valid(validity, row))
        return Value{};
    return readValid(vector, row);
}

Result<Value> ValueReader::readValid(duckdb_vector vector, idx_t row) const
{
    switch (m_type) {
    case DUCKDB_TYPE_BOOLEAN: return Value{at<bool>(vector, row)};
    case DUCKDB_TYPE_TINYINT: return number(at<int8_t>(vector, row));
    case DUCKDB_TYPE_SMALLINT: return number(at<int16_t>(vector, row));
    case DUCKDB_TYPE_INTEGER: return number(at<int32_t>(vector, row));
    case DUCKDB_TYPE_BIGINT: return number(at<int64_t>(vector, row));
    case DUCKDB_TYPE_UTINYINT: return number(at<uint8_t>(vector, row));
    case DUCKDB_TYPE_USMALLINT: return number(at<uint16_t>(vector, row));
    case DUCKDB_TYPE_UINTEGER: return number(at<uint32_t>(vector, row));
    case DUCKDB_TYPE_UBIGINT: return text(QString::number(at<uint64_t>(vector, row)));
    case DUCKDB_TYPE_HUGEINT: return readHugeint(vector, row);
    case DUCKDB_TYPE_FLOAT: return Value{static_cast<double>(at<float>(vector, row))};
    case DUCKDB_TYPE_DOUBLE: return Value{at<double>(vector, row)};
    case DUCKDB_TYPE_DECIMAL: return readDecimal(vector, row);
    case DUCKDB_TYPE_TIMESTAMP_S: return timestamp(at<int64_t>(vector, row), 1, m_wanted, false);
    case DUCKDB_TYPE_TIMESTAMP_MS:
        return timestamp(at<int64_t>(vector, row), kMillis, m_wanted, false);
    case DUCKDB_TYPE_TIMESTAMP:
        return timestamp(at<int64_t>(vector, row), kMicros, m_wanted, false);
    case DUCKDB_TYPE_TIMESTAMP_NS:
        return timestamp(at<int64_t>(vector, row), kNanos, m_wanted, false);
    case DUCKDB_TYPE_TIMESTAMP_TZ:
        return timestamp(at<int64_t>(vector, row), kMicros, m_wanted, true);
    case DUCKDB_TYPE_DATE: return text(dateText(at<int32_t>(vector, row)));
    case DUCKDB_TYPE_TIME: return time(at<int64_t>(vector, row) * kNanosPerMicro, m_wanted);
    case DUCKDB_TYPE_TIME_NS: return time(at<int64_t>(vector, row), m_wanted);
    case DUCKDB_TYPE_TIME_TZ: return timeWithZone(at<duckdb_time_tz>(vector, row), m_wanted);
    case DUCKDB_TYPE_INTERVAL: return interval(at<duckdb_interval>(vector, row), m_wanted);
    case DUCKDB_TYPE_VARCHAR: return text(QString::fromUtf8(bytesAt(vector, row)));
    case DUCKDB_TYPE_BLOB: return Value{bytesAt(vector, row)};
    case DUCKDB_TYPE_UUID: {
        // The top bit is turned around so that uuids sort as numbers.
        const auto &half = at<duckdb_hugeint>(vector, row);
        return text(uuidText(static_cast<quint64>(half.upper) ^ (Q_UINT64_C(1) << 63), half.lower));
    }
    case DUCKDB_TYPE_ENUM: {
        const auto index = m_storage == DUCKDB_TYPE_UTINYINT    ? at<uint8_t>(vector, row)
                           : m_storage == DUCKDB_TYPE_USMALLINT ? at<uint16_t>(vector, row)
                                                                : at<uint32_t>(vector, row);
        return text(m_enumValues.value(static_cast<qsizetype>(index)));
    }
    case DUCKDB_TYPE_LIST: return readList(vector, row);
    case DUCKDB_TYPE_ARRAY: return readArray(vector, row);
    case DUCKDB_TYPE_MAP: return readMap(vector, row);
    case DUCKDB_TYPE_STRUCT: return readStruct(vector, row);
    default: return Value{};
    }
}

Result<Value> ValueReader::readHugeint(duckdb_vector vector, idx_t row) const
{
    const Int128 value = wide(at<duckdb_hugeint>(vector, row));
    if (!m_wanted.isInteger())
        return text(decimalText(value, 0));
    if (value < std::numeric_limits<qint64>::min() || value > std::numeric_limits<qint64>::max()) {
        return fail(invalidError(
            QStringLiteral("%1 does not fit into %2").arg(decimalText(value, 0), m_wanted.text())));
    }
    return number(static_cast<qint64>(value));
}

Value ValueReader::readDecimal(duckdb_vector vector, idx_t row) const
{
    Int128 value = 0;
    switch (m_storage) {
    case DUCKDB_TYPE_SMALLINT: value = at<int16_t>(vector, row); break;
    case DUCKDB_TYPE_INTEGER: value = at<int32_t>(vector, row); break;
    case DUCKDB_TYPE_BIGINT: value = at<int64_t>(vector, row); break;
    default: value = wide(at<duckdb_hugeint>(vector, row));
    }
    return text(decimalText(value, m_scale));
}

Result<Value> ValueReader::readList(duckdb_vector vector, idx_t row) const
{
    const auto entry = at<duckdb_list_entry>(vector, row);
    const auto child = duckdb_list_vector_get_child(vector);
    std::vector<Value> values;
    values.reserve(entry.length);
    for (idx_t index = entry.offset; index < entry.offset + entry.length; ++index) {
        IVM_TRY(Value value, m_children[0].read(child, index));
        values.push_back(std::move(value));
    }
    return Value{std::move(values)};
}

Result<Value> ValueReader::readArray(duckdb_vector vector, idx_t row) const
{
    const auto child = duckdb_array_vector_get_child(vector);
    std::vector<Value> values;
    for (idx_t index = row * m_arraySize; index < (row + 1) * m_arraySize; ++index) {
        IVM_TRY(Value value, m_children[0].read(child, index));
        values.push_back(std::move(value));
    }
    return Value{std::move(values)};
}

Result<Value> ValueReader::readStruct(duckdb_vector vector, idx_t row) const
{
    std::vector<Value> values;
    for (size_t field = 0; field < m_children.size(); ++field) {
        IVM_TRY(Value value,
                m_children[field].read(duckdb_struct_vector_get_child(vector, field), row));
        values.push_back(std::move(value));
    }
    return Value{std::move(values)};
}

Result<Value> ValueReader::readMap(duckdb_vector vector, idx_t row) const
{
    // A map is a list of (key, value) structs.
    const auto entry = at<duckdb_list_entry>(vector, row);
    const auto pairs = duckdb_list_vector_get_child(vector);
    const auto keys = duckdb_struct_vector_get_child(pairs, 0);
    const auto mapped = duckdb_struct_vector_get_child(pairs, 1);
    std::vector<Value> values;
    values.reserve(entry.length * 2);
    for (idx_t index = entry.offset; index < entry.offset + entry.length; ++index) {
        IVM_TRY(Value key, m_children[0].read(keys, index));
        IVM_TRY(Value value, m_children[1].read(mapped, index));
        values.push_back(std::move(key));
        values.push_back(std::move(value));
    }
    return Value{std::move(values)};
}

Result<Type> trinoType(duckdb_logical_type type, QStringView column)
{
    const auto of = [](TypeKind kind, int precision = 0, int scale = 0) {
        return Type{.kind = kind, .precision = precision, .scale = scale};
    };
    const auto part = [&](duckdb_logical_type handle) {
        const LogicalType owned(handle);
        return trinoType(owned.handle, column);
    };
    switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_SQLNULL: return of(TypeKind::Unknown);
    case DUCKDB_TYPE_BOOLEAN: return of(TypeKind::Boolean);
    case DUCKDB_TYPE_TINYINT: return of(TypeKind::Tinyint);
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_UTINYINT: return of(TypeKind::Smallint);
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_USMALLINT: return of(TypeKind::Integer);
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UINTEGER: return of(TypeKind::Bigint);
    case DUCKDB_TYPE_UBIGINT: return of(TypeKind::Decimal, 20, 0);
    case DUCKDB_TYPE_HUGEINT: return of(TypeKind::Decimal, 38, 0);
    case DUCKDB_TYPE_FLOAT: return of(TypeKind::Real);
    case DUCKDB_TYPE_DOUBLE: return of(TypeKind::Double);
    case DUCKDB_TYPE_DECIMAL:
        return of(TypeKind::Decimal, duckdb_decimal_width(type), duckdb_decimal_scale(type));
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP: return of(TypeKind::Timestamp, kMicroDigits);
    case DUCKDB_TYPE_TIMESTAMP_NS: return of(TypeKind::Timestamp, 9);
    case DUCKDB_TYPE_TIMESTAMP_TZ: return of(TypeKind::TimestampWithTimeZone, kMicroDigits);
    case DUCKDB_TYPE_DATE: return of(TypeKind::Date);
    case DUCKDB_TYPE_TIME: return of(TypeKind::Time, kMicroDigits);
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_ENUM: return of(TypeKind::Varchar);
    case DUCKDB_TYPE_BLOB: return of(TypeKind::Varbinary);
    case DUCKDB_TYPE_UUID: return of(TypeKind::Uuid);
    case DUCKDB_TYPE_LIST: {
        IVM_TRY(Type element, part(duckdb_list_type_child_type(type)));
        return Type{.kind = TypeKind::Array, .fields = {{{}, element}}};
    }
    case DUCKDB_TYPE_MAP: {
        IVM_TRY(Type key, part(duckdb_map_type_key_type(type)));
        IVM_TRY(Type value, part(duckdb_map_type_value_type(type)));
        return Type{.kind = TypeKind::Map, .fields = {{{}, key}, {{}, value}}};
    }
    case DUCKDB_TYPE_STRUCT: {
        Type row{.kind = TypeKind::Row};
        for (idx_t field = 0; field < duckdb_struct_type_child_count(type); ++field) {
            IVM_TRY(Type fieldType, part(duckdb_struct_type_child_type(type, field)));
            row.fields.append({takeText(duckdb_struct_type_child_name(type, field)), fieldType});
        }
        return row;
    }
    default: return fail(unsupported(column));
    }
}

}  // namespace ivm::duckdb
