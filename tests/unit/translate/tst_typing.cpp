// Types that convert, the tables' own little language, and the tables as a whole.
#include "plugins/executor_duckdb/translate/function_table.h"
#include "plugins/executor_duckdb/translate/overload.h"
#include "plugins/executor_duckdb/translate/typing.h"
#include "tests/support/golden.h"

#include <QTest>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

Type type(const QString &text) { return *parseType(text); }

QString chosen(std::span<const FunctionRow> rows, const QString &name, const QStringList &types)
{
    QList<Operand> operands;
    for (const auto &text : types)
        operands.append({type(text), {}});
    const auto choice = choose(rows, name, operands);
    return choice ? choice->result.text() : QStringLiteral("none");
}

}  // namespace

class tst_Typing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commonTypes_data()
    {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<QString>("common");
        QTest::newRow("integers widen") << "tinyint" << "bigint" << "bigint";
        QTest::newRow("integer becomes decimal") << "integer" << "decimal(3,2)" << "decimal(12,2)";
        QTest::newRow("decimals keep both sides")
            << "decimal(5,4)" << "decimal(10,0)" << "decimal(14,4)";
        QTest::newRow("decimals stop at 38 digits")
            << "decimal(38,2)" << "decimal(38,10)" << "decimal(38,10)";
        QTest::newRow("decimal becomes real") << "decimal(5,4)" << "real" << "real";
        QTest::newRow("bigint becomes real") << "bigint" << "real" << "real";
        QTest::newRow("real becomes double") << "real" << "double" << "double";
        QTest::newRow("varchar takes the longer") << "varchar(3)" << "varchar(7)" << "varchar(7)";
        QTest::newRow("varchar without a length wins") << "varchar(3)" << "varchar" << "varchar";
        QTest::newRow("date becomes timestamp") << "date" << "timestamp(3)" << "timestamp(3)";
        QTest::newRow("timestamps take more digits")
            << "timestamp(3)" << "timestamp(6)" << "timestamp(6)";
        QTest::newRow("timestamp gets a zone")
            << "timestamp(6)" << "timestamp(3) with time zone" << "timestamp(6) with time zone";
        QTest::newRow("NULL becomes anything") << "unknown" << "date" << "date";
        QTest::newRow("text is no number") << "varchar" << "bigint" << "none";
        QTest::newRow("boolean is no number") << "boolean" << "integer" << "none";
        QTest::newRow("time is no date") << "time(3)" << "date" << "none";
    }
    void commonTypes()
    {
        QFETCH(QString, a);
        QFETCH(QString, b);
        QFETCH(QString, common);
        const auto one = commonSuperType(type(a), type(b));
        const auto other = commonSuperType(type(b), type(a));
        QCOMPARE(one ? one->text() : QStringLiteral("none"), common);
        QCOMPARE(other ? other->text() : QStringLiteral("none"), common);
    }

    void overloads_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("types");
        QTest::addColumn<QString>("result");
        QTest::newRow("sum of integer")
            << "sum" << QStringList{QStringLiteral("integer")} << "bigint";
        QTest::newRow("sum of decimal")
            << "sum" << QStringList{QStringLiteral("decimal(12,2)")} << "decimal(38,2)";
        QTest::newRow("sum of real") << "sum" << QStringList{QStringLiteral("real")} << "real";
        QTest::newRow("sum of text") << "sum" << QStringList{QStringLiteral("varchar")} << "none";
        QTest::newRow("avg of tinyint")
            << "avg" << QStringList{QStringLiteral("tinyint")} << "double";
        QTest::newRow("avg of decimal")
            << "avg" << QStringList{QStringLiteral("decimal(12,2)")} << "decimal(12,2)";
        QTest::newRow("any number of arguments")
            << "greatest"
            << QStringList{QStringLiteral("integer"), QStringLiteral("bigint"),
                           QStringLiteral("decimal(3,1)")}
            << "decimal(20,1)";
        QTest::newRow("date_trunc of a column as unit")
            << "date_trunc" << QStringList{QStringLiteral("varchar"), QStringLiteral("date")}
            << "none";
    }
    void overloads()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, types);
        QFETCH(QString, result);
        QCOMPARE(chosen(functionTable(), name, types), result);
    }

    void operatorTypes_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QStringList>("types");
        QTest::addColumn<QString>("result");
        QTest::newRow("+ of decimals")
            << "+" << QStringList{QStringLiteral("decimal(5,2)"), QStringLiteral("decimal(3,1)")}
            << "decimal(6,2)";
        QTest::newRow("* of decimals")
            << "*" << QStringList{QStringLiteral("decimal(5,2)"), QStringLiteral("decimal(3,1)")}
            << "decimal(8,3)";
        QTest::newRow("/ of decimals")
            << "/" << QStringList{QStringLiteral("decimal(5,2)"), QStringLiteral("decimal(3,1)")}
            << "decimal(6,2)";
        QTest::newRow("% of decimals")
            << "%" << QStringList{QStringLiteral("decimal(5,2)"), QStringLiteral("decimal(3,1)")}
            << "decimal(4,2)";
        QTest::newRow("* past 38 digits")
            << "*" << QStringList{QStringLiteral("decimal(38,2)"), QStringLiteral("decimal(38,2)")}
            << "decimal(38,4)";
        QTest::newRow("* past scale 38")
            << "*"
            << QStringList{QStringLiteral("decimal(38,20)"), QStringLiteral("decimal(38,20)")}
            << "none";
        QTest::newRow("integer and decimal")
            << "+" << QStringList{QStringLiteral("integer"), QStringLiteral("decimal(3,1)")}
            << "decimal(12,1)";
        QTest::newRow("decimal and real")
            << "/" << QStringList{QStringLiteral("decimal(3,1)"), QStringLiteral("real")} << "real";
        QTest::newRow("day and timestamp")
            << "+"
            << QStringList{QStringLiteral("timestamp(0)"), QStringLiteral("interval day to second")}
            << "timestamp(3)";
        QTest::newRow("month and timestamp")
            << "-"
            << QStringList{QStringLiteral("timestamp(0)"), QStringLiteral("interval year to month")}
            << "timestamp(0)";
        QTest::newRow("date less a date")
            << "-" << QStringList{QStringLiteral("date"), QStringLiteral("date")}
            << "interval day to second";
    }
    void operatorTypes()
    {
        QFETCH(QString, name);
        QFETCH(QStringList, types);
        QFETCH(QString, result);
        QCOMPARE(chosen(operatorTable(), name, types), result);
    }

    void formulas()
    {
        Bindings bound;
        bound.numbers = {{QChar(u'p'), 5}, {QChar(u's'), 2}};
        QCOMPARE(evaluate(u"min(38, p - s + min(s, 1))", bound), 4);
        QCOMPARE(evaluate(u"max(0, s - p) * 3 + (p + 1) - 2", bound), 4);
        QCOMPARE(evaluate(u"pow10(6 - s)", bound), 10000);
        QVERIFY(holds(u"", bound));
        QVERIFY(holds(u"p > s and s <= 2", bound));
        QVERIFY(!holds(u"p < s", bound));
        QVERIFY(!holds(u"p >= s and s > 2", bound));
    }

    // The rows' texts are constants of ours that only fail when they are used.
    void everyRowIsWellFormed()
    {
        for (const auto rows : {functionTable(), operatorTable()}) {
            for (const auto &row : rows) {
                for (auto parameter : splitOutside(row.parameters, u','))
                    checkType(parameter);
                checkType(row.result);
                QVERIFY2(row.sql.count(u'(') == row.sql.count(u')'),
                         qPrintable(row.sql.toString()));
            }
        }
        for (const auto &row : castTable()) {
            checkType(row.from);
            checkType(row.to);
            QVERIFY(!row.sql.isEmpty());
        }
    }

private:
    static bool isForm(QStringView text)
    {
        const auto forms = parameterForms();
        return std::any_of(forms.begin(), forms.end(),
                           [&](const ParameterForm &form) { return form.word == text; });
    }

    static void checkType(QStringView text)
    {
        for (const QStringView prefix : {u"exactly "}) {
            if (text.startsWith(prefix))
                text = text.sliced(prefix.size());
        }
        if (text.endsWith(u"..."))
            text.chop(3);
        const bool bindsLetter = text.startsWith(u"constant ") || text.startsWith(u"group ");
        if (text.startsWith(u"one of ") || bindsLetter || isForm(text))
            return;
        if (text.startsWith(u"array(") || text.startsWith(u"map(")) {
            for (const auto part :
                 splitOutside(text.sliced(text.indexOf(u'(') + 1).chopped(1), u','))
                checkType(part);
            return;
        }
        QString bare = text.toString();
        const qsizetype open = bare.indexOf(u'(');
        if (open >= 0)
            bare.remove(open, bare.lastIndexOf(u')') - open + 1);
        QVERIFY2(parseType(bare), qPrintable(bare));
    }
};

QTEST_GUILESS_MAIN(tst_Typing)
#include "tst_typing.moc"
