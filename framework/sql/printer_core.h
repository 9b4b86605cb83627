// The printer itself: appends to one string. Inside framework/sql only; others use printer.h.
//
// One Printer a text; not thread-safe.
#pragma once

#include "framework/sql/statement.h"

namespace ivm::sql {

class Printer {
public:
    QString take() { return std::move(m_out); }

    // printer.cpp
    void write(QStringView words) { m_out += words; }
    void name(const Identifier &identifier);
    void name(const QualifiedName &qualified);
    // Functions and types: without quotes where that reads back as the same.
    void bareName(const Identifier &identifier);
    void bareName(const QualifiedName &qualified);
    // Whether the type of a literal needs no quotes: DATE '…'.
    static bool isPlainBeforeString(QStringView typeName);
    void string(QStringView text);
    template <typename T, typename Print>
    void list(const std::vector<T> &items, Print print)
    {
        for (const T &item : items) {
            if (&item != &items.front())
                write(u", ");
            print(item);
        }
    }
    void names(const std::vector<Identifier> &identifiers);

    // printer_expression.cpp, printer_call.cpp: in parentheses when it binds less tightly than
    // `minPower`.
    void expression(const Expr &expr, int minPower = 0);
    void expressions(const std::vector<ExprPtr> &list);

    // printer_type.cpp
    void type(const Type &type);

    // printer_query.cpp
    void query(const Query &query);
    void relation(const Relation &relation);
    void sortItems(const std::vector<SortItem> &items);
    void subquery(const Query &query);  // ( query )

    // printer_statement.cpp
    void statement(const Statement &statement);

    void node(const NullLiteral &) { write(u"NULL"); }
    void node(const BooleanLiteral &one) { write(one.value ? u"TRUE" : u"FALSE"); }
    void node(const IntegerLiteral &one) { write(QString::number(one.value)); }
    void node(const DecimalLiteral &one) { write(one.text); }
    void node(const DoubleLiteral &one) { write(one.text); }
    void node(const StringLiteral &one) { string(one.value); }
    void node(const BinaryLiteral &one);
    void node(const TypedLiteral &one);
    void node(const IntervalLiteral &one);
    void node(const Parameter &) { write(u"?"); }
    void node(const ColumnReference &one) { name(one.name); }
    void node(const Dereference &one);
    void node(const Logical &one);
    void node(const Not &one);
    void node(const Comparison &one);
    void node(const QuantifiedComparison &one);
    void node(const Between &one);
    void node(const InList &one);
    void node(const InSubquery &one);
    void node(const Like &one);
    void node(const IsNull &one);
    void node(const IsDistinctFrom &one);
    void node(const Arithmetic &one);
    void node(const Concatenation &one);
    void node(const Unary &one);
    void node(const AtTimeZone &one);
    void node(const Subscript &one);
    void node(const FunctionCall &one);
    void node(const Listagg &one);
    void node(const Lambda &one);
    void node(const RowConstructor &one);
    void node(const ArrayConstructor &one);
    void node(const SubqueryExpression &one);
    void node(const Exists &one);
    void node(const Case &one);
    void node(const Cast &one);
    void node(const Extract &one);
    void node(const CurrentValue &one);
    void node(const Grouping &one);

    void node(const GenericType &one);
    void node(const RowType &one);
    void node(const IntervalType &one);
    void node(const DateTimeType &one);

    void node(const Table &one);
    void node(const SubqueryRelation &one) { subquery(*one.query); }
    void node(const Lateral &one);
    void node(const Unnest &one);
    void node(const TableFunction &one);
    void node(const Join &one);
    void node(const ParenthesizedRelation &one);

    void node(const Select &one);
    void node(const SetOperation &one);
    void node(const Values &one);
    void node(const TableQuery &one);
    void node(const ParenthesizedQuery &one) { subquery(*one.query); }

    void node(const Query &one) { query(one); }
    void node(const CreateSchema &one);
    void node(const DropSchema &one);
    void node(const CreateTable &one);
    void node(const CreateTableAs &one);
    void node(const DropTable &one);
    void node(const TruncateTable &one);
    void node(const Insert &one);
    void node(const Delete &one);
    void node(const Update &one);
    void node(const Merge &one);
    void node(const MergeUpdate &one);
    void node(const MergeDelete &) { write(u"DELETE"); }
    void node(const MergeInsert &one);
    void node(const RenameTable &one);
    void node(const AddColumn &one);
    void node(const DropColumn &one);
    void node(const RenameColumn &one);
    void node(const SetColumnType &one);
    void node(const DropNotNull &one);
    void node(const SetTableProperties &one);
    void commentIs(const std::optional<QString> &words);
    void node(const CommentOnTable &one);
    void node(const CommentOnColumn &one);
    void node(const TableExecute &one);
    void node(const ShowTables &one);
    void node(const ShowSchemas &one);
    void node(const ShowColumns &one);

private:
    bool ownSyntax(const FunctionCall &call);
    void trim(QStringView side, const FunctionCall &call);
    void setQuantifier(SetQuantifier quantifier);
    void filter(const ExprPtr &condition);
    void over(const Over &over);
    void window(const WindowSpecification &specification);
    void frame(const WindowFrame &frame);
    void frameBound(const FrameBound &bound);
    void typeParameter(const TypeParameter &parameter);
    void with(const With &with);
    void limit(const Limit &limit);
    void selectItem(const SelectItem &item);
    void groupBy(const GroupBy &groupBy);
    void groupingElement(const GroupingElement &element);
    void setOperand(const QueryBody &body, bool parenthesize);
    void alias(const Alias &alias);
    void argument(const TableFunctionArgument &argument);
    void tableArgument(const TableArgument &argument);
    void descriptor(const DescriptorArgument &descriptor);
    void createHead(WhenExists whenExists, const QualifiedName &table);
    void comment(const std::optional<QString> &words);
    void properties(const std::vector<Property> &all);
    void propertyList(const std::vector<Property> &all);
    void column(const ColumnDefinition &column);
    void assignments(const std::vector<Assignment> &all);
    void where(const ExprPtr &condition);
    void alterTable(bool ifExists, const QualifiedName &table);
    void like(const std::optional<ShowPattern> &pattern);

    QString m_out;
};

}  // namespace ivm::sql
