// A session that answers each statement from a script: the first answer whose key the statement
// contains.
#pragma once

#include "framework/api/executor.h"

#include <functional>

namespace ivm::trino {

class ScriptedSession final : public Session {
public:
    using Answer = std::function<Result<Rows>(const QString &sql)>;

    void answer(const QString &key, const Answer &answer) { m_answers.append({key, answer}); }
    void answer(const QString &key, const Rows &rows)
    {
        m_answers.append({key, [rows](const QString &) -> Result<Rows> { return rows; }});
    }
    void answer(const QString &key, const Error &error)
    {
        m_answers.append({key, [error](const QString &) -> Result<Rows> { return fail(error); }});
    }
    void setTableInfo(const TableInfo &info) { m_info = info; }

    const QStringList &statements() const { return m_statements; }

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &) override
    {
        m_statements.append(sql);
        for (const auto &[key, answer] : m_answers) {
            if (!sql.contains(key))
                continue;
            IVM_TRY(auto rows, answer(sql));
            IVM_CHECK(sink.columns(rows.columns));
            for (auto &row : rows.rows)
                IVM_CHECK(sink.row(std::move(row)));
            return StatementResult{.statementId = {}, .updateType = {}};
        }
        return fail(internalError(QStringLiteral("beyond the script: ") + sql));
    }
    Result<TableInfo> tableInfo(const TableName &, const Call &) override { return m_info; }

    Result<QList<Column>> describe(const QString &, const Call &) override
    {
        return fail(unused());
    }
    Status createTable(const TableSpec &, const Call &) override { return fail(unused()); }
    Status dropTable(const TableName &, const Call &) override { return fail(unused()); }
    Result<CommitResult> commit(const Change &, const Intent &, const IntentRecorder &,
                                const Call &) override
    {
        return fail(unused());
    }
    Result<Settlement> settle(const Intent &, const Call &) override { return fail(unused()); }

private:
    static Error unused() { return internalError(QStringLiteral("a detector does not call this")); }

    QList<std::pair<QString, Answer>> m_answers;
    QStringList m_statements;
    TableInfo m_info;
};

// Values of a row, from what a test writes.
inline Value cell(const char *text) { return {QString::fromUtf8(text)}; }
inline Value cell(const QString &text) { return {text}; }
inline Value cell(qint64 whole) { return {whole}; }
inline Value cell(int whole) { return {qint64(whole)}; }
inline Value cell(std::nullptr_t) { return {}; }
inline Value cell(const std::vector<Value> &values) { return {values}; }

template <typename... Cells>
Row rowOf(const Cells &...cells)
{
    return {cell(cells)...};
}

}  // namespace ivm::trino
