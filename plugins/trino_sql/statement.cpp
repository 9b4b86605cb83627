#include "plugins/trino_sql/statement.h"

#include "framework/base/fail_point.h"
#include "framework/base/log.h"
#include "plugins/trino_sql/values.h"

namespace ivm::trino {

using std::chrono::steady_clock;

namespace {

// A wait that people want to hear of.
constexpr std::chrono::seconds kLongQueue{5};

// Behind blanks and comments, or nothing.
QStringView skipComments(QStringView sql)
{
    while (true) {
        sql = sql.trimmed();
        qsizetype end = -1;
        if (sql.startsWith(u"--"))
            end = sql.indexOf(u'\n') + 1;
        else if (sql.startsWith(u"/*"))
            end = sql.indexOf(u"*/", 2) + 2;
        else
            return sql;
        if (end < 2)
            return {};
        sql = sql.sliced(end);
    }
}

QStringView firstWord(QStringView sql)
{
    qsizetype end = 0;
    while (end < sql.size() && (sql[end].isLetter() || sql[end] == u'_'))
        ++end;
    return sql.first(end);
}

}  // namespace

bool onlyReads(QStringView sql)
{
    sql = skipComments(sql);
    if (sql.startsWith(u'('))
        return true;
    const QStringView word = firstWord(sql);
    const auto is = [word](QStringView wanted) {
        return word.compare(wanted, Qt::CaseInsensitive) == 0;
    };
    if (is(u"EXPLAIN")) {
        const QStringView next = firstWord(skipComments(sql.sliced(word.size())));
        return next.compare(u"ANALYZE", Qt::CaseInsensitive) != 0;
    }
    return is(u"SELECT") || is(u"WITH") || is(u"SHOW") || is(u"DESCRIBE") || is(u"DESC") ||
           is(u"VALUES") || is(u"TABLE");
}

Statement::~Statement() { giveUp(); }

void Statement::giveUp()
{
    if (m_page.nextUri.isEmpty())
        return;
    if (const auto status = m_client.cancel(m_page.nextUri); !status)
        qCWarning(logExecutor).noquote()
            << "cancelling" << m_page.id << "failed:" << status.error().text();
    m_page.nextUri.clear();
}

// Ending when the statement's time is over, if the call would not end before.
Call Statement::limited(const Call &call) const
{
    if (!m_client.statementTimeout() || !m_sent)
        return call;
    const auto end = *m_sent + *m_client.statementTimeout();
    return {.stop = call.stop,
            .deadline = call.deadline && *call.deadline < end ? call.deadline : end};
}

Error Statement::inTime(Error error, const Call &call) const
{
    if (error.kind != ErrorKind::Timeout || !m_client.statementTimeout() || !call.check({}))
        return error;
    const auto seconds = QString::number(double(m_client.statementTimeout()->count()) / 1000);
    return timeoutError(
               QStringLiteral("query %1 did not end within %2 s")
                   .arg(m_page.id.isEmpty() ? QStringLiteral("(not sent)") : m_page.id, seconds))
        .withHint(u"Raise query_timeout_seconds, or see in Trino what it waits for");
}

Status Statement::send(const QString &sql, const Call &call)
{
    m_sent = steady_clock::now();
    auto page = m_client.post(sql, limited(call));
    if (!page)
        return fail(inTime(std::move(page).error(), call));
    m_page = *std::move(page);
    if (m_page.error)
        return fail(m_page.error->toError());
    return {};
}

Result<StatementResult> Statement::follow(RowSink &sink, const Call &call)
{
    while (true) {
        tell();
        IVM_CHECK(take(sink));
        if (m_page.nextUri.isEmpty())
            break;
        m_followed = true;
        auto next = m_client.get(m_page.nextUri, limited(call));
        if (!next) {
            m_lost = true;
            giveUp();
            return fail(inTime(std::move(next).error(), call));
        }
        m_page = *std::move(next);
        if (m_page.error) {
            m_page.nextUri.clear();
            return fail(m_page.error->toError());
        }
        if (m_page.updateType == u"MERGE")
            IVM_CHECK(failPoint(u"trino.merge_running"));
    }
    return StatementResult{.statementId = m_page.id,
                           .updateType = m_page.updateType,
                           .rowsAffected = m_page.updateCount.value_or(-1),
                           .rowsRead = m_page.processedRows,
                           .bytesRead = m_page.processedBytes};
}

// What people want to know of it while it runs, each thing once.
void Statement::tell()
{
    for (const auto &warning : m_page.warnings) {
        if (m_warnings.contains(warning))
            continue;
        m_warnings.insert(warning);
        qCWarning(logExecutor).noquote()
            << "Trino warns of query" << m_page.id + QStringLiteral(":") << warning;
    }
    const bool waits = m_page.state == u"QUEUED" || m_page.state == u"WAITING_FOR_RESOURCES";
    if (!waits || m_toldQueue || !m_sent || steady_clock::now() - *m_sent < kLongQueue)
        return;
    m_toldQueue = true;
    qCInfo(logExecutor).noquote() << "query" << m_page.id << "waits in Trino's queue";
}

Status Statement::take(RowSink &sink)
{
    if (m_page.columns && !m_announced) {
        m_columns = *m_page.columns;
        m_announced = true;
        // The one row of a statement that writes is its count, which is told beside it.
        if (m_page.updateType.isEmpty())
            IVM_CHECK(sink.columns(m_columns));
    }
    if (!m_page.data.empty() && !m_announced)
        return fail(corruptError(QStringLiteral("Trino gave rows before it named their columns")));
    if (!m_page.updateType.isEmpty())
        return {};
    for (const auto &node : m_page.data) {
        IVM_TRY(Row row, readRow(node, m_columns));
        IVM_CHECK(sink.row(std::move(row)));
    }
    return {};
}

}  // namespace ivm::trino
