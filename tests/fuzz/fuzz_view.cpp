#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/view/rewrite.h"
#include "tests/fuzz/golden_seeds.h"
#include "tests/fuzz/target.h"

namespace ivm::fuzz {

namespace {

ViewSpec specOf(const QString &query)
{
    ViewSpec spec;
    spec.name = QStringLiteral("v");
    spec.query = query;
    spec.queryPlace = {QStringLiteral("views.yaml"), 1, 1};
    return spec;
}

// Whether `text` is `part` with more put in between.
bool holds(const QString &text, const QString &part)
{
    qsizetype found = 0;
    for (qsizetype i = 0; i < text.size() && found < part.size(); ++i)
        found += text[i] == part[found] ? 1 : 0;
    return found == part.size();
}

bool isWithin(const sql::Span &span, const QString &text)
{
    return span.begin >= 0 && span.begin <= span.end && span.end <= text.size();
}

QString wrongShape(const ViewShape &shape)
{
    for (const auto &column : shape.columns) {
        if (column.name.isEmpty() || !isWithin(column.expression, shape.query))
            return QStringLiteral("column '%1' is out of the text").arg(column.name);
    }
    for (const auto &source : shape.sources) {
        if (source.span.begin < 0 || source.span.end > shape.query.size())
            return QStringLiteral("the pin of %1 is out of the text").arg(source.table.text());
    }
    if (shape.isRanges() && !shape.bucket)
        return QStringLiteral("ranges of no bucket");
    if (shape.columns.isEmpty() || shape.why.isEmpty())
        return QStringLiteral("it says nothing");
    return {};
}

QString wrongStatement(const QString &statement, const ViewShape &shape)
{
    const auto parsed = sql::parseQuery(statement);
    if (!parsed)
        return QStringLiteral("rewritten as %1, which is refused: %2")
            .arg(statement, parsed.error().text());
    if (!holds(statement, shape.query))
        return QStringLiteral("rewritten as %1, which lost something").arg(statement);
    return {};
}

}  // namespace

QString targetName() { return QStringLiteral("view"); }

int usualInputs() { return 60'000; }

QList<QByteArray> seeds() { return goldenSeeds(QStringLiteral("shape")); }

QList<QByteArray> words() { return sqlWords(); }

// What is understood can be rewritten, and is the text without macros with more put in.
QString complaint(const QByteArray &input)
{
    const TableName defaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};
    const auto shape = shapeOf(specOf(QString::fromUtf8(input)), defaults);
    if (!shape) {
        const Error &error = shape.error();
        const bool known = error.kind == ErrorKind::Invalid || error.kind == ErrorKind::Unsupported;
        return known && error.place.line >= 1 ? QString() : error.text();
    }
    if (const QString wrong = wrongShape(*shape); !wrong.isEmpty())
        return wrong;
    Pins pins;
    for (const auto &source : shape->sources)
        pins.insert(source.table, 7);
    if (const QString wrong = wrongStatement(pinnedQuery(*shape, pins), *shape); !wrong.isEmpty())
        return wrong;
    if (!shape->bucket)
        return {};
    const Type timestamp{.kind = TypeKind::Timestamp, .precision = 6};
    RangeSet ranges;
    ranges.add({0, 3'600'000'000});
    ranges.add({86'400'000'000, std::nullopt});
    ranges.addNullBucket();
    const bool isDate = shape->bucket->form == ShapeBucket::Form::Date;
    const Type bucket = isDate ? Type{.kind = TypeKind::Date} : timestamp;
    return wrongStatement(rangeQuery(*shape, pins, ranges, {timestamp, bucket}), *shape);
}

}  // namespace ivm::fuzz
