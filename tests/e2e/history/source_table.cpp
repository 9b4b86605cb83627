#include "tests/e2e/history/source_table.h"

#include <QDateTime>
#include <QTimeZone>

namespace ivm::test {

namespace {

const auto kColumns = QStringLiteral("ts, k, g, v, x, d, tz, dd, e, i, r, f, b, tags, place");

// What stays equal when only one of two people looks: no table is partitioned by a column that
// changeColumns() drops, which Trino refuses.
const QStringList kPartitionings{
    QString(),
    QStringLiteral("'day(ts)'"),
    QStringLiteral("'day(ts)'"),
    QStringLiteral("'month(ts)', 'bucket(k, 3)'"),
    QStringLiteral("'hour(tz)'"),
    QStringLiteral("'truncate(k, 1)'"),
    QStringLiteral("'year(dd)', 'g'"),
    QStringLiteral("'truncate(v, 10)'"),
};

}  // namespace

void SourceTable::sawHead(const std::optional<SnapshotId> &head)
{
    if (head && !m_snapshots.contains(*head))
        m_snapshots.append(*head);
}

QStringList SourceTable::create()
{
    m_snapshots.clear();
    m_isWide = false;
    m_isV1 = m_formatV1 == FormatV1::Sometimes && m_dice.oneIn(5);
    const QString version =
        m_isV1 ? QStringLiteral(", format_version = 1") : QStringLiteral(", format_version = 2");
    return {QStringLiteral(
                "CREATE TABLE @ (ts timestamp(6), k varchar, g integer, v bigint, x double, d "
                "decimal(12,2), tz timestamp(6) with time zone, dd date, e bigint, i integer, r "
                "real, f boolean, b varbinary, tags array(varchar), place row(a integer, b "
                "varchar)) WITH (partitioning = ARRAY[%1]%2)")
                .arg(partitioning(), version),
            insert(20 + m_dice.pick(60))};
}

QStringList SourceTable::change()
{
    switch (m_dice.pick(m_isV1 ? 8 : 16)) {
    case 0:
    case 1:
    case 2: return appendRows();
    case 3: return moveFiles();
    case 4: return changeColumns();
    case 5: return changeLayout();
    case 6: return m_dice.oneIn(3) ? startAgain() : appendRows();
    case 7: return appendRows();
    case 8:
    case 9:
    case 10: return changeRows();
    case 11:
    case 12:
    case 13: return deleteRows();
    case 14: return mergeRows();
    default: return moveFiles();
    }
}

QStringList SourceTable::appendRows()
{
    switch (m_dice.pick(4)) {
    case 0: return {insert(1 + m_dice.pick(20), instant(1))};  // many of one moment
    case 1: return {insert(1, instant(400))};                  // one that is late, or early
    default: return {insert(1 + m_dice.pick(8))};
    }
}

QStringList SourceTable::changeRows()
{
    switch (m_dice.pick(4)) {
    case 0:
        return {QStringLiteral("UPDATE @ SET ts = ts + INTERVAL '%1' DAY, dd = dd - INTERVAL '9' "
                               "DAY, tz = tz + INTERVAL '61' SECOND, e = e - 301 WHERE v % %2 = 0")
                    .arg(1 + m_dice.pick(3))
                    .arg(3 + m_dice.pick(6))};
    case 1:
        return {QStringLiteral("UPDATE @ SET x = x + 1e0, g = NULL, f = NOT f WHERE k = '%1' AND "
                               "v % 3 = %2")
                    .arg(letter())
                    .arg(m_dice.pick(3))};
    case 2:
        return {QStringLiteral("UPDATE @ SET ts = %1, place = NULL WHERE ts IS NULL OR v = %2")
                    .arg(instant(12))
                    .arg(m_dice.pick(m_nextValue + 1))};
    default:
        return {QStringLiteral("UPDATE @ SET tags = ARRAY['%1', NULL], r = -r WHERE v % 11 = %2")
                    .arg(letter())
                    .arg(m_dice.pick(11))};
    }
}

QStringList SourceTable::deleteRows()
{
    switch (m_dice.pick(5)) {
    case 0: return {QStringLiteral("DELETE FROM @ WHERE k = '%1'").arg(letter())};
    case 1:
        return {QStringLiteral("DELETE FROM @ WHERE ts >= TIMESTAMP '2024-02-%1 00:00:00' AND ts "
                               "< TIMESTAMP '2024-03-0%2 00:00:00'")
                    .arg(27 + m_dice.pick(3))
                    .arg(1 + m_dice.pick(3))};
    case 2:
        return {QStringLiteral("DELETE FROM @ WHERE v % 5 = %1 OR k IS NULL").arg(m_dice.pick(5))};
    case 3: return {QStringLiteral("DELETE FROM @ WHERE v = %1").arg(m_dice.pick(m_nextValue + 1))};
    default:
        if (!m_dice.oneIn(3))
            return {QStringLiteral("DELETE FROM @ WHERE ts IS NULL")};
        return {m_dice.oneIn(2) ? QStringLiteral("TRUNCATE TABLE @")
                                : QStringLiteral("DELETE FROM @")};
    }
}

QStringList SourceTable::mergeRows()
{
    if (m_dice.oneIn(2))
        return {QStringLiteral(
                    "MERGE INTO @ AS t USING (SELECT k AS key, max(v) AS last FROM @ GROUP BY k) "
                    "AS s ON t.v = s.last WHEN MATCHED AND s.key = '%1' THEN DELETE WHEN MATCHED "
                    "THEN UPDATE SET x = coalesce(t.x, 0e0) + 1e0, ts = t.ts + INTERVAL '1' HOUR")
                    .arg(letter())};
    const int known = m_dice.pick(m_nextValue + 1);
    const int unknown = m_nextValue++;
    return {QStringLiteral(
                "MERGE INTO @ AS t USING (VALUES (BIGINT '%1', 'a'), (BIGINT '%2', 'z')) AS s "
                "(v, k) ON t.v = s.v WHEN MATCHED THEN UPDATE SET k = s.k, dd = NULL WHEN NOT "
                "MATCHED THEN INSERT (ts, k, v, e) VALUES (%3, s.k, s.v, s.v * -97)")
                .arg(known)
                .arg(unknown)
                .arg(instant(12))};
}

QStringList SourceTable::moveFiles()
{
    if (!m_dice.oneIn(3) || m_snapshots.isEmpty())
        return {QStringLiteral("ALTER TABLE @ EXECUTE optimize")};
    return {QStringLiteral("ALTER TABLE @ EXECUTE rollback_to_snapshot(%1)")
                .arg(m_dice.of(m_snapshots))};
}

QStringList SourceTable::changeColumns()
{
    switch (m_dice.pick(6)) {
    case 0:
        return {QStringLiteral("ALTER TABLE @ ADD COLUMN extra%1 varchar").arg(++m_extraColumns)};
    case 1:
        if (m_extraColumns == 0)
            // A field of its own each time: the embedded engine reads what is inside by name.
            return {QStringLiteral("ALTER TABLE @ ADD COLUMN place.c%1 bigint").arg(++m_fields),
                    QStringLiteral("ALTER TABLE @ DROP COLUMN place.c%1").arg(m_fields)};
        return {QStringLiteral("ALTER TABLE @ DROP COLUMN extra%1").arg(m_extraColumns--)};
    case 2:
        return {QStringLiteral("ALTER TABLE @ RENAME COLUMN x TO y"),
                insert(2).replace(QStringLiteral(" x,"), QStringLiteral(" y,")),
                QStringLiteral("ALTER TABLE @ RENAME COLUMN y TO x")};
    case 3:
        // The values of `i` are gone: another column has its name.
        return {QStringLiteral("ALTER TABLE @ DROP COLUMN i"),
                QStringLiteral("ALTER TABLE @ ADD COLUMN i %1")
                    .arg(m_isWide ? QStringLiteral("bigint") : QStringLiteral("integer"))};
    case 4:
        if (std::exchange(m_isWide, true))
            return {QStringLiteral("COMMENT ON TABLE @ IS 'changed'")};
        return {QStringLiteral("ALTER TABLE @ ALTER COLUMN i SET DATA TYPE bigint")};
    default: return {QStringLiteral("COMMENT ON COLUMN @.k IS 'a letter'")};
    }
}

QStringList SourceTable::changeLayout()
{
    if (m_isV1 && m_dice.oneIn(2)) {
        m_isV1 = false;
        return {QStringLiteral("ALTER TABLE @ SET PROPERTIES format_version = 2")};
    }
    if (m_dice.oneIn(4)) {
        m_snapshots.clear();
        return {
            QStringLiteral("ALTER TABLE @ EXECUTE expire_snapshots(retention_threshold => '0s')")};
    }
    return {QStringLiteral("ALTER TABLE @ SET PROPERTIES partitioning = ARRAY[%1]")
                .arg(partitioning())};
}

QStringList SourceTable::startAgain()
{
    if (m_dice.oneIn(2)) {
        m_isV1 = false;
        return {QStringLiteral(
                    "CREATE OR REPLACE TABLE @ WITH (partitioning = ARRAY[%1]) AS SELECT * FROM @ "
                    "WHERE v % 7 <> %2")
                    .arg(partitioning())
                    .arg(m_dice.pick(7))};
    }
    QStringList statements{QStringLiteral("DROP TABLE @")};
    m_extraColumns = 0;
    return statements + create();
}

QString SourceTable::partitioning() { return m_dice.of(kPartitionings); }

QString SourceTable::instant(int dayRange, QStringView zone)
{
    // Some are older than the epoch: what is rounded towards zero shows there.
    const QDateTime base(QDate(m_dice.oneIn(9) ? 1960 : 2024, 2, 27), QTime(0, 0), Qt::UTC);
    const auto at =
        base.addSecs(qint64(m_dice.pick(dayRange)) * 86'400 + qint64(m_dice.pick(86'400)));
    const QString micros =
        QString::number(m_dice.oneIn(3) ? 0 : m_dice.pick(1'000'000)).rightJustified(6, u'0');
    return QStringLiteral("TIMESTAMP '%1.%2%3'")
        .arg(at.toString(QStringLiteral("yyyy-MM-dd hh:mm:ss")), micros, zone);
}

QString SourceTable::orNull(int oneIn, const QString &value)
{
    return m_dice.oneIn(oneIn) ? QStringLiteral("NULL") : value;
}

QString SourceTable::insert(int rows, const QString &base)
{
    QStringList list;
    for (int i = 0; i < rows; ++i)
        list.append(row(base));
    return QStringLiteral("INSERT INTO @ (%1) VALUES %2")
        .arg(kColumns, list.join(QStringLiteral(", ")));
}

QString SourceTable::row(const QString &base)
{
    const auto typed = [](const QString &value, const char *type) {
        return QStringLiteral("CAST(%1 AS %2)").arg(value, QLatin1StringView(type));
    };
    const QString x =
        m_dice.oneIn(20) ? QStringLiteral("nan()") : QStringLiteral("%1e-1").arg(m_dice.pick(999));
    const QStringList values{
        typed(orNull(15, base.isEmpty() ? instant(12) : base), "timestamp(6)"),
        typed(orNull(10, u'\'' + letter() + u'\''), "varchar"),
        typed(orNull(8, QString::number(m_dice.pick(3))), "integer"),
        typed(QString::number(m_nextValue++), "bigint"),
        typed(orNull(9, x), "double"),
        QStringLiteral("DECIMAL '%1.%2'").arg(m_dice.pick(500) - 250).arg(10 + m_dice.pick(90)),
        typed(orNull(15, instant(12, u" UTC")), "timestamp(6) with time zone"),
        typed(orNull(15, instant(60)), "date"),
        typed(orNull(15, QString::number(m_dice.pick(4'000) - 2'000)), "bigint"),
        typed(orNull(9, QString::number(m_dice.pick(100))), "integer"),
        typed(orNull(9, QString::number(m_dice.pick(8)) + QStringLiteral("e0")), "real"),
        typed(orNull(9, m_dice.oneIn(2) ? QStringLiteral("true") : QStringLiteral("false")),
              "boolean"),
        orNull(9, QStringLiteral("X'0%1'").arg(m_dice.pick(10))),
        typed(orNull(9, QStringLiteral("ARRAY['%1', %2]")
                            .arg(letter())
                            .arg(orNull(3, u'\'' + letter() + u'\''))),
              "array(varchar)"),
        typed(orNull(9, QStringLiteral("ROW(%1, '%2')").arg(m_dice.pick(3)).arg(letter())),
              "row(a integer, b varchar)")};
    return u'(' + values.join(QStringLiteral(", ")) + u')';
}

}  // namespace ivm::test
