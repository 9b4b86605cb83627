#include "framework/view/meaning.h"

namespace ivm {

namespace {

QString columnText(const ViewShape &shape, qsizetype index)
{
    const QString &name = shape.columns[index].name;
    const bool isBucket = shape.bucket && shape.bucket->output == index;
    return isBucket ? QStringLiteral("%1 (%2)").arg(name, shape.bucket->words) : name;
}

QString columnsOfClass(const ViewShape &shape, ColumnClass columnClass)
{
    QStringList names;
    for (qsizetype i = 0; i < shape.columns.size(); ++i) {
        if (shape.columns[i].columnClass == columnClass)
            names.append(columnText(shape, i));
    }
    return names.join(QStringLiteral(", "));
}

QString keysText(const ViewShape &shape)
{
    const QString keys = columnsOfClass(shape, ColumnClass::Key);
    switch (shape.keySource) {
    case KeySource::GroupBy: return keys;
    case KeySource::Distinct: return keys + QStringLiteral(": all columns, by DISTINCT");
    case KeySource::Declared:
        return keys + QStringLiteral(": as declared, checked at each refresh");
    case KeySource::OneRow: return QStringLiteral("none: there is one row");
    }
    Q_UNREACHABLE();
}

// A sum is a float only where its column is one, which the text does not tell.
QStringView classText(ColumnClass columnClass)
{
    switch (columnClass) {
    case ColumnClass::Key: return u"keys";
    case ColumnClass::Exact: return u"exact";
    case ColumnClass::Float: return u"sums";
    case ColumnClass::Approximate: return u"estimates";
    case ColumnClass::OrderDependent: return u"picks";
    }
    Q_UNREACHABLE();
}

QStringView classPromise(ColumnClass columnClass)
{
    switch (columnClass) {
    case ColumnClass::Float: return u": exact, or within 1e-9 where they are floating point";
    case ColumnClass::Approximate: return u": as the engine estimates them";
    case ColumnClass::OrderDependent: return u": one of the right answers where rows tie";
    default: return u"";
    }
}

QString layoutText(const ViewSpec &spec)
{
    QStringList parts;
    QStringList fields;
    for (const auto &field : spec.targetPartitioning)
        fields.append(field.text());
    if (!fields.isEmpty())
        parts.append(QStringLiteral("partitioned by ") + fields.join(QStringLiteral(", ")));
    if (!spec.sortedBy.isEmpty())
        parts.append(QStringLiteral("sorted by ") + spec.sortedBy.join(QStringLiteral(", ")));
    return parts.join(QStringLiteral("; "));
}

QString refreshText(const ViewShape &shape)
{
    if (shape.isRanges())
        return QStringLiteral("only touched buckets are recomputed: ") + shape.why;
    return QStringLiteral("everything is recomputed, and rows that differ are written: ") +
           shape.why;
}

}  // namespace

QList<MeaningLine> meaningOf(const View &view)
{
    const auto &shape = view.shape;
    QList<MeaningLine> lines{{classText(ColumnClass::Key).toString(), keysText(shape)}};
    for (const auto columnClass : {ColumnClass::Exact, ColumnClass::Float, ColumnClass::Approximate,
                                   ColumnClass::OrderDependent}) {
        const QString columns = columnsOfClass(shape, columnClass);
        if (!columns.isEmpty())
            lines.append({classText(columnClass).toString(), columns + classPromise(columnClass)});
    }
    if (const QString layout = layoutText(view.spec); !layout.isEmpty())
        lines.append({QStringLiteral("layout"), layout});
    lines.append({strategyName(shape.strategy), refreshText(shape)});
    return lines;
}

}  // namespace ivm
