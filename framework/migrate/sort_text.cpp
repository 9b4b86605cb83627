#include "framework/migrate/sort_text.h"

#include "framework/api/table.h"

#include <QRegularExpression>

namespace ivm::migrate {

namespace {

struct SortColumn {
    QString name;
    bool isDescending = false;
    bool areNullsFirst = true;
};

SortColumn parse(const QString &text)
{
    static const QRegularExpression form(
        QStringLiteral("\\A(.*?)(?:\\s+(ASC|DESC))?(?:\\s+NULLS\\s+(FIRST|LAST))?\\z"),
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    const auto match = form.match(text.trimmed());
    SortColumn out{.name = match.captured(1)};
    out.isDescending = match.captured(2).compare(u"DESC", Qt::CaseInsensitive) == 0;
    out.areNullsFirst = match.hasCaptured(3)
                            ? match.captured(3).compare(u"FIRST", Qt::CaseInsensitive) == 0
                            : !out.isDescending;
    if (out.name.size() > 1 && out.name.startsWith(u'"') && out.name.endsWith(u'"'))
        out.name =
            out.name.sliced(1).chopped(1).replace(QStringLiteral("\"\""), QStringLiteral("\""));
    return out;
}

QString textOf(const SortColumn &column)
{
    QString text = PartitionField{Transform::Identity, column.name, 0}.text();
    if (column.isDescending)
        text += QStringLiteral(" DESC");
    if (column.areNullsFirst == column.isDescending)
        text +=
            column.areNullsFirst ? QStringLiteral(" NULLS FIRST") : QStringLiteral(" NULLS LAST");
    return text;
}

}  // namespace

QString sortColumn(const QString &text) { return parse(text).name; }

QString sortTextFor(const QString &text, const QString &column)
{
    SortColumn out = parse(text);
    out.name = column;
    return textOf(out);
}

QString canonicalSort(const QString &text) { return sortTextFor(text, sortColumn(text).toLower()); }

}  // namespace ivm::migrate
