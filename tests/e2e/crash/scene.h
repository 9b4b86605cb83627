// Two views, one over the other, kept by the real ivmctl, whose runs a test interrupts.
//
// One thread. Every step that has to work gives what went wrong, or nothing.
#pragma once

#include "tests/support/program.h"

#include <QJsonArray>
#include <QStringList>

namespace ivm::test {

class Scene {
public:
    // Without a configuration: on the embedded engine.
    explicit Scene(const QByteArray &configuration = {}) : m_program(QStringLiteral(IVM_CTL))
    {
        m_program.write(QStringLiteral("views.yaml"), kViews);
        if (!configuration.isEmpty())
            m_program.write(QStringLiteral("ivm.yaml"), configuration);
    }

    Program &program() { return m_program; }

    QString makeSource()
    {
        return runAll({"CREATE TABLE ev (id bigint, kind varchar, ts timestamp(6), amount bigint)",
                       "INSERT INTO ev VALUES (1, 'a', TIMESTAMP '2026-01-01 00:10:00', 5), "
                       "(2, 'b', TIMESTAMP '2026-01-01 01:10:00', 6), (3, NULL, NULL, 7), "
                       "(4, 'b', TIMESTAMP '2026-01-09 05:00:00', 8)"});
    }

    // Groups that come, change and vanish, NULL ones among them. Both views change each time.
    QString changeSource(int round = 0)
    {
        const QString id = QString::number(10 * round);
        const QString deleted = QString::number(10 * round + (round > 0 ? 6 : 2));
        return runAll(
            {"INSERT INTO ev SELECT id + " + id.toUtf8() +
                 ", kind, ts, amount FROM "
                 "(VALUES (5, 'a', TIMESTAMP '2026-01-01 00:50:00.000000', 1), "
                 "(6, 'c', TIMESTAMP '2026-01-05 00:00:00.000000', 2), (7, NULL, NULL, 3))"
                 " AS v(id, kind, ts, amount)",
             "DELETE FROM ev WHERE id = " + deleted.toUtf8()});
    }

    Ran refresh(const QString &failPoint = {})
    {
        m_program.set(QStringLiteral("IVM_FAIL_POINT"), failPoint);
        const auto ran = m_program.run({QStringLiteral("refresh"), QStringLiteral("--json")});
        m_program.set(QStringLiteral("IVM_FAIL_POINT"), {});
        return ran;
    }

    // Refreshes as anybody would who knows of nothing, and looks whether all is as it should be.
    QString recover()
    {
        const auto ran = refresh();
        if (ran.code != 0)
            return QStringLiteral("the next refresh ended with %1: %2%3")
                .arg(ran.code)
                .arg(ran.out, ran.err);
        if (const QString wrong = difference(); !wrong.isEmpty())
            return wrong;
        const auto views = refresh().json().value(u"views").toArray();
        if (views.size() != 2)
            return QStringLiteral("%1 views were refreshed").arg(views.size());
        for (const auto &view : views) {
            if (view[u"action"].toString() != u"none")
                return QStringLiteral("%1 was refreshed twice").arg(view[u"name"].toString());
        }
        return {};
    }

    // What differs between the views' tables and their queries, or nothing.
    QString difference()
    {
        const auto stored =
            rows(QStringLiteral("SELECT 'hourly', kind, h, n, total FROM hourly\n"
                                "UNION ALL SELECT 'per_kind', kind, NULL, n, total FROM per_kind"));
        const auto wanted = rows(QStringLiteral(
            "SELECT 'hourly', kind, date_trunc('hour', ts), count(*), sum(amount)\n"
            "FROM ev GROUP BY 2, 3\n"
            "UNION ALL SELECT 'per_kind', kind, NULL, count(*), sum(amount) FROM ev GROUP BY 2"));
        if (stored == wanted && wanted.size() > 2)
            return {};
        return QStringLiteral("the views have %1, their queries give %2")
            .arg(stored.join(u' '), wanted.join(u' '));
    }

    // How many commits each view's table has seen.
    QStringList commits()
    {
        return rows(QStringLiteral("SELECT 'hourly', count(*) FROM \"hourly$snapshots\"\n"
                                   "UNION ALL SELECT 'per_kind', count(*) FROM "
                                   "\"per_kind$snapshots\""));
    }

    // Each row as a JSON list, sorted; an error alone where it did not work.
    QStringList rows(const QString &statement) const
    {
        const auto ran = sql(statement);
        if (ran.code != 0)
            return {ran.out + ran.err};
        QStringList lines;
        for (const auto &row : ran.json().value(u"rows").toArray())
            lines.append(
                QString::fromUtf8(QJsonDocument(row.toArray()).toJson(QJsonDocument::Compact)));
        lines.sort();
        return lines;
    }

    Ran sql(const QString &statement) const
    {
        return m_program.run({QStringLiteral("sql"), QStringLiteral("--json"), statement});
    }

private:
    static constexpr const char *kViews =
        "views:\n"
        "  - name: hourly\n"
        "    query: |\n"
        "      SELECT kind, date_trunc('hour', ts) AS h, count(*) AS n, sum(amount) AS total\n"
        "      FROM ev GROUP BY 1, 2\n"
        "  - name: per_kind\n"
        "    query: |\n"
        "      SELECT kind, CAST(sum(n) AS bigint) AS n, sum(total) AS total\n"
        "      FROM hourly GROUP BY 1\n";

    QString runAll(std::initializer_list<QByteArray> statements) const
    {
        for (const auto &statement : statements) {
            if (const auto ran = sql(QString::fromUtf8(statement)); ran.code != 0)
                return QString::fromUtf8(statement) + QStringLiteral(": ") + ran.out + ran.err;
        }
        return {};
    }

    Program m_program;
};

}  // namespace ivm::test
