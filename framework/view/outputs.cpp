#include "framework/view/outputs.h"

namespace ivm {

namespace {

constexpr int kStoredFraction = 6;  // Iceberg v2 keeps microseconds

std::unexpected<Error> cannotStore(const Type &type, QStringView why)
{
    return fail(unsupportedError(
                    QStringLiteral("an Iceberg table cannot hold %1 (%2)").arg(type.text(), why))
                    .withCode(u"unstorable_type")
                    .withHint(u"Cast it to a type that an Iceberg table holds"));
}

Result<Type> storedNested(const Type &type)
{
    Type stored = type;
    for (auto &field : stored.fields) {
        if (type.is(TypeKind::Row) && field.name.isEmpty())
            return cannotStore(type, u"a row's fields need names");
        IVM_TRY(field.type, storedType(field.type));
    }
    return stored;
}

Error aboutColumn(Error error, const ViewSpec &spec, const ViewShape &shape,
                  const ShapeColumn &column)
{
    const Place inQuery = sql::placeOf(shape.query, column.expression.begin);
    error.place = spec.placeInFile(inQuery.line, inQuery.column);
    return std::move(error).during(
        QStringLiteral("view '%1': column '%2'").arg(spec.name, column.name));
}

// Whether values that are equal are the same. Not so 0.0 and -0.0, and one instant in two zones.
bool isIdentity(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Tinyint:
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Decimal:
    case TypeKind::Varchar:
    case TypeKind::Varbinary:
    case TypeKind::Uuid:
    case TypeKind::Date:
    case TypeKind::Time:
    case TypeKind::Timestamp: return true;
    default: return false;
    }
}

// A sum or average depends on the order of rows only where it is floating point; a sorted array
// only where equal elements can differ.
ColumnClass classWithType(const ShapeColumn &column, const Type &type)
{
    const bool isExact = column.columnClass == ColumnClass::Float
                             ? !type.isFloat()
                             : column.columnClass == ColumnClass::OrderDependent &&
                                   column.isSortedArray && type.is(TypeKind::Array) &&
                                   isIdentity(type.fields.front().type);
    return isExact ? ColumnClass::Exact : column.columnClass;
}

}  // namespace

Result<Type> storedType(const Type &type)
{
    switch (type.kind) {
    case TypeKind::Boolean:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Real:
    case TypeKind::Double:
    case TypeKind::Decimal:
    case TypeKind::Varbinary:
    case TypeKind::Uuid:
    case TypeKind::Date: return type;
    case TypeKind::Tinyint:
    case TypeKind::Smallint: return Type{.kind = TypeKind::Integer};
    case TypeKind::Varchar: return Type{.kind = TypeKind::Varchar};
    case TypeKind::Time:
    case TypeKind::Timestamp:
    case TypeKind::TimestampWithTimeZone:
        if (type.precision > kStoredFraction)
            return cannotStore(type,
                               u"it keeps microseconds, so distinct values would become equal");
        return Type{.kind = type.kind, .precision = kStoredFraction};
    case TypeKind::Array:
    case TypeKind::Map:
    case TypeKind::Row: return storedNested(type);
    case TypeKind::Char: return cannotStore(type, u"trailing spaces would be lost");
    case TypeKind::Unknown: return cannotStore(type, u"the type of NULL alone");
    case TypeKind::Json:
    case TypeKind::TimeWithTimeZone:
    case TypeKind::IntervalYearToMonth:
    case TypeKind::IntervalDayToSecond: return cannotStore(type, u"the format has no such type");
    }
    Q_UNREACHABLE();
}

Result<QList<OutputColumn>> outputColumns(const ViewSpec &spec, const ViewShape &shape,
                                          const QList<Column> &described)
{
    if (described.size() != shape.columns.size())
        return fail(internalError(
            QStringLiteral("view '%1': the engine describes %2 columns where the query has %3")
                .arg(spec.name, QString::number(described.size()),
                     QString::number(shape.columns.size()))));
    QList<OutputColumn> outputs;
    for (qsizetype i = 0; i < described.size(); ++i) {
        const auto &column = shape.columns[i];
        auto stored = storedType(described[i].type);
        if (!stored)
            return fail(aboutColumn(std::move(stored).error(), spec, shape, column));
        outputs.append({column.name, *stored, classWithType(column, *stored)});
    }
    return outputs;
}

namespace {

const QString kMark = QStringLiteral("Kept by iceberg-ivm: view ");

}  // namespace

QString targetComment(const ViewSpec &spec)
{
    const QString mark = kMark + spec.name;
    return spec.comment.isEmpty() ? mark
                                  : QString(spec.comment + QStringLiteral(" (") + mark + u')');
}

bool tellsOf(QStringView comment, const ViewSpec &spec)
{
    ViewSpec plain = spec;
    plain.comment.clear();
    const QString mark = targetComment(plain);
    return comment == mark || comment.endsWith(QString(QStringLiteral(" (") + mark + u')'));
}

std::optional<QString> viewToldOf(const QString &comment)
{
    const qsizetype at = comment.lastIndexOf(kMark);
    if (at < 0)
        return std::nullopt;
    const QString name = comment.sliced(at + kMark.size());
    const bool isBehindAnother = at > 0 && name.endsWith(u')');
    return isBehindAnother ? name.chopped(1) : name;
}

TableSpec targetSpec(const ViewSpec &spec, const QList<OutputColumn> &outputs)
{
    TableSpec table{.name = spec.target,
                    .columns = {},
                    .partitioning = spec.targetPartitioning,
                    .sortedBy = spec.sortedBy,
                    .format = spec.format,
                    .comment = targetComment(spec)};
    for (const auto &output : outputs)
        table.columns.append({.name = output.name, .type = output.type});
    return table;
}

Status checkTargetColumns(const ViewSpec &spec, const QList<OutputColumn> &outputs,
                          const TableInfo &target)
{
    const auto differs = [&](const QString &how) {
        Error error =
            invalidError(QStringLiteral("view '%1': table %2 exists with other columns: %3")
                             .arg(spec.name, spec.target.text(), how))
                .withCode(u"target_differs")
                .withHint(u"Drop the table, or give the view another target_table");
        error.place = spec.queryPlace;
        return fail(std::move(error));
    };
    for (qsizetype i = 0; i < std::max(outputs.size(), target.columns.size()); ++i) {
        if (i >= target.columns.size())
            return differs(QStringLiteral("it has no '%1'").arg(outputs[i].name));
        if (i >= outputs.size())
            return differs(
                QStringLiteral("it has '%1', which the view does not").arg(target.columns[i].name));
        const auto &wanted = outputs[i];
        const auto &found = target.columns[i];
        if (found.name.compare(wanted.name, Qt::CaseInsensitive) != 0)
            return differs(QStringLiteral("column %1 is '%2' instead of '%3'")
                               .arg(i + 1)
                               .arg(found.name, wanted.name));
        if (found.type != wanted.type)
            return differs(QStringLiteral("'%1' is %2 instead of %3")
                               .arg(wanted.name, found.type.text(), wanted.type.text()));
    }
    return {};
}

}  // namespace ivm
