#include "framework/host/history_watch.h"

namespace ivm {

bool sameHead(const Result<TableHead> &left, const Result<TableHead> &right)
{
    return left.has_value() == right.has_value() &&
           (left ? left->token == right->token : left.error().kind == right.error().kind);
}

QList<TableName> HistoryWatch::toLookAt(Time now) const
{
    const bool isThere = m_known && *m_known;
    const bool isTime = !m_isKnown || now - m_read >= m_interval;
    return m_table && (isThere || isTime) ? QList<TableName>{*m_table} : QList<TableName>();
}

bool HistoryWatch::isOld(const Heads &heads, Time now)
{
    if (!m_isKnown)
        return true;
    if (!m_table)
        return now - m_read >= m_interval;
    const auto seen = heads.constFind(*m_table);
    if (seen == heads.cend())
        return false;
    if (!m_known || !sameHead(*m_known, *seen))
        return true;
    m_read = now;
    return false;
}

void HistoryWatch::beginReading(const Heads &heads)
{
    m_reading.reset();
    if (m_table && heads.contains(*m_table))
        m_reading = heads.value(*m_table);
}

void HistoryWatch::endReading(Time now)
{
    m_known = m_reading;
    m_read = now;
    m_isKnown = true;
}

}  // namespace ivm
