// share/doc/embedded-sql.md says what the tables say. IVM_UPDATE_GOLDEN=1 writes it.
#include "plugins/executor_duckdb/translate/function_table.h"
#include "plugins/executor_duckdb/translate/signature.h"

#include <QFile>
#include <QTest>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

const QString kPath = QStringLiteral(IVM_SOURCE_DIR "/share/doc/embedded-sql.md");

constexpr QStringView kOpening =
    u"# The embedded engine's SQL\n"
    "\n"
    "This page is made from the code: `IVM_UPDATE_GOLDEN=1 tst_embedded_doc` writes it, and a "
    "test\n"
    "fails where it is stale.\n"
    "\n"
    "The embedded engine speaks Trino's SQL: what is listed here gives the values and the types\n"
    "that Trino gives, and every line has been compared with a real Trino. What is not listed is\n"
    "refused by name, with its place in the text. A value that does not fit (an overflow, a\n"
    "division by zero, a text that is no number) fails the statement, as in Trino.\n"
    "\n"
    "`CASE`, `nullif`, `CAST`, `TRY_CAST`, `EXTRACT`, `LIKE`, `IN`, `BETWEEN`, `IS NULL`,\n"
    "`IS DISTINCT FROM`, `EXISTS`, `AT TIME ZONE` and `LISTAGG` are written as in Trino. "
    "Aggregates\n"
    "take `FILTER` and `OVER`; `DISTINCT` and `ORDER BY` inside of them where the last column "
    "says\n"
    "so.\n"
    "\n"
    "`current_date`, `current_timestamp`, `localtimestamp` (these two with up to six digits, as "
    "in\n"
    "`current_timestamp(6)`) and `now()` are constants of the statement, in UTC.\n"
    "\n"
    "## What the signatures say\n"
    "\n"
    "A type stands for itself and what converts to it by itself. Every parameter with one capital\n"
    "letter becomes one common type; `p`, `s`, `n` and the like are the numbers of a type. `...`\n"
    "stands for more of the same, `one of` for a literal word, `exactly` for a type to which "
    "nothing\n"
    "is converted.\n"
    "\n"
    "| word | stands for |\n"
    "|---|---|\n";

constexpr QStringView kZones =
    u"## Times in a zone\n"
    "\n"
    "A value with a time zone is an instant. Its zone is known before the query runs: the one "
    "that\n"
    "`AT TIME ZONE`, `at_timezone`, `with_timezone` or `from_unixtime` names, else UTC. Functions\n"
    "that look at the clock use it, as Trino does, in gaps and repeated hours too. Results are\n"
    "shown in UTC. Where values of several zones meet, their instants can still be compared and\n"
    "counted; a function that looks at the clock is refused until `AT TIME ZONE` says which.\n"
    "Trino and DuckDB have time zone data of their own. Zones whose history since 1970 they tell\n"
    "differently (America/Tijuana and Europe/Chisinau, with their other names) are refused, and "
    "in\n"
    "zones that they tell differently only before, earlier times fail.\n";

constexpr QStringView kNested =
    u"## Arrays, maps and rows\n"
    "\n"
    "`ARRAY[a, b]`, `MAP(keys, values)`, `ROW(a, b)` and `(a, b)` make them; `r.field`,\n"
    "`t.r.field`, `(expression).field` and `r[1]` take rows apart. They convert part by part, "
    "rows\n"
    "by position, where a column, a `CAST` or another value asks for it; a name stays where both\n"
    "rows have it. They are grouped by, made `DISTINCT` and put into sets: NULL and NaN inside "
    "are\n"
    "the same as themselves there, while `=` gives NULL where a NULL inside decides. Maps are "
    "alike\n"
    "whatever the order of their keys; they are grouped by where they are columns, and not put\n"
    "into sets. Arrays and rows have an order where real and double are not inside; a NULL inside\n"
    "fails as soon as they are brought into it (Trino fails when it comes upon the NULL). Windows\n"
    "take none of them in `PARTITION BY` and `ORDER BY`.\n";

QString cell(const QString &text) { return QString(text).replace(u'|', QStringLiteral("\\|")); }

QString code(QStringView text) { return u'`' + cell(text.toString()) + u'`'; }

QString notes(const FunctionRow &row)
{
    QStringList all;
    if (row.sql.contains(u"{d}"))
        all.append(QStringLiteral("DISTINCT"));
    if (row.sql.contains(u"{o}"))
        all.append(QStringLiteral("ORDER BY"));
    if (row.exactness == ColumnClass::Float) {
        all.append(row.kind == FunctionKind::Aggregate
                       ? QStringLiteral("depends on the order of the rows in its last digits")
                       : QStringLiteral("may differ from Trino in the last digit"));
    }
    if (row.exactness == ColumnClass::OrderDependent)
        all.append(QStringLiteral("depends on the order of the rows"));
    return all.join(QStringLiteral(", "));
}

// Rows that differ by their guards only are one line.
QString functionLines(std::span<const FunctionRow> rows)
{
    QStringList lines;
    for (const auto &row : rows) {
        const QString call = row.name + u'(' + row.parameters + u')';
        lines.append(QStringLiteral("| ") + code(call) + QStringLiteral(" | ") + code(row.result) +
                     QStringLiteral(" | ") + notes(row) + QStringLiteral(" |"));
    }
    lines.removeDuplicates();
    return QStringLiteral("| call | gives | notes |\n|---|---|---|\n") + lines.join(u'\n') + u'\n';
}

QString operatorLines()
{
    QStringList lines;
    for (const auto &row : operatorTable()) {
        const auto operands = splitOutside(row.parameters, u',');
        const QString left = operands.size() == 2 ? QString(operands[0] + u' ') : QString();
        const QString right =
            operands.size() == 2 ? QString(u' ' + operands[1]) : QString(row.parameters.toString());
        lines.append(QStringLiteral("| ") + code(QString(left + row.name + right)) +
                     QStringLiteral(" | ") + code(row.result) + QStringLiteral(" |"));
    }
    lines.removeDuplicates();
    return QStringLiteral("| operation | gives |\n|---|---|\n") + lines.join(u'\n') + u'\n';
}

QString castLines()
{
    QStringList lines;
    for (const auto &row : castTable()) {
        lines.append(QStringLiteral("| ") + code(row.from) + QStringLiteral(" | ") + code(row.to) +
                     QStringLiteral(" | ") +
                     (row.safe.isEmpty() ? QStringLiteral("no") : QStringLiteral("yes")) +
                     QStringLiteral(" |"));
    }
    lines.removeDuplicates();
    return QStringLiteral("| from | to | TRY_CAST |\n|---|---|---|\n") + lines.join(u'\n') + u'\n';
}

QString document()
{
    QString text = kOpening.toString();
    for (const auto &form : parameterForms()) {
        text += QStringLiteral("| ") + code(form.word) + QStringLiteral(" | ") +
                cell(form.text.toString()) + QStringLiteral(" |\n");
    }
    text += u'\n' + kNested + u'\n' + kZones;
    for (const auto &family : functionFamilies())
        text += QStringLiteral("\n## ") + family.title + QStringLiteral("\n\n") +
                functionLines(family.rows);
    text += QStringLiteral("\n## Operators\n\n") + operatorLines();
    text +=
        QStringLiteral("\n## Casts\n\nA type casts to itself, and to a varchar of another length, "
                       "as well.\n\n") +
        castLines();
    return text;
}

}  // namespace

class tst_EmbeddedDoc : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isUpToDate()
    {
        QFile file(kPath);
        if (qEnvironmentVariableIsSet("IVM_UPDATE_GOLDEN")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(document().toUtf8());
            return;
        }
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY2(QString::fromUtf8(file.readAll()) == document(),
                 "share/doc/embedded-sql.md is stale: IVM_UPDATE_GOLDEN=1 tst_embedded_doc");
    }

    void isLongEnough() { QVERIFY(functionTable().size() + operatorTable().size() >= 150); }
};

QTEST_GUILESS_MAIN(tst_EmbeddedDoc)
#include "tst_embedded_doc.moc"
