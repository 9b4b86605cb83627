// Views of every kind of key and bucket: their queries, with '@' for the schema.
//
// Plain data, for test programs.
#pragma once

namespace ivm::test {

struct ViewKind {
    const char *name;
    const char *query;
    const char *keys;    // declared, with commas
    bool isIncremental;  // a late row touches a part of it
    // On a cluster too, where every statement takes its time. Of the other buckets it is asked by
    // tst_trino_buckets, and the other keys make the same statements.
    bool isOnCluster;
};

inline constexpr ViewKind kViewKinds[] = {
    {"pairs_by_day", "SELECT DISTINCT k, date_trunc('day', ts) AS d FROM @.ev", "", true, true},
    {"total",
     "SELECT count(*) AS n, sum(x) AS x, max(k) AS top, array_agg(k ORDER BY id) AS ks FROM @.ev",
     "", false, true},
    {"mean", "SELECT avg(x) AS mean FROM @.ev", "", false, false},
    {"last_of_all", "SELECT max_by(k, id) AS last FROM @.ev", "", false, true},
    {"total_if_many", "SELECT count(*) AS n FROM @.ev GROUP BY () HAVING count(*) > 9", "", false,
     true},
    {"rows_by_id", "SELECT id, upper(k) AS k, ts, x FROM @.ev", "id", false, true},
    {"rows_by_hour", "SELECT id, date_trunc('hour', ts) AS h, x FROM @.ev WHERE k LIKE '_'", "id,h",
     true, true},
    {"steps", "SELECT e / 300 * 300 AS b, count(*) AS n FROM @.ev GROUP BY 1", "", true, true},
    {"floats", "SELECT x AS f, count(*) AS n FROM @.ev GROUP BY 1", "", false, true},
    {"pairs", "SELECT DISTINCT k, tag FROM @.ev", "", false, false},
    {"largest", "SELECT k AS name, max(x) AS x FROM @.ev WHERE k IS NOT NULL GROUP BY k, upper(k)",
     "name", false, false},
    {"words",
     "SELECT upper(substr(tag, 1, 2)) AS t, k LIKE 'a%' AS is_a, count(*) AS n FROM @.ev "
     "GROUP BY 1, 2",
     "", false, false},
    {"second", "SELECT date_trunc('second', ts) AS s, count(*) AS n FROM @.ev GROUP BY 1", "", true,
     false},
    {"shifted",
     "SELECT date_trunc('day', ts - INTERVAL '6' HOUR) AS d, sum(x) AS x FROM @.ev "
     "GROUP BY 1",
     "", true, false},
    {"rests", "SELECT k, e - e % 300 AS b, count(*) AS n FROM @.ev GROUP BY 1, 2", "", true, false},
    {"two_buckets",
     "SELECT date_trunc('day', ts) AS d, date_trunc('hour', ts) AS h, count(*) AS n "
     "FROM @.ev GROUP BY 1, 2",
     "", true, false},
    {"fallback",
     "SELECT coalesce(date_trunc('hour', ts), TIMESTAMP '1970-01-01 00:00:00') AS h, "
     "count(*) AS n FROM @.ev GROUP BY 1",
     "", false, false},
    // Trino does not tell the ids of the fields of a row, and recomputes.
    {"fields", "SELECT r.b AS b, date_trunc('day', ts) AS d, count(r) AS n FROM @.ev GROUP BY 1, 2",
     "", true, false},

    // Arrays and rows as keys.
    {"nested", "SELECT l, r, count(*) AS n FROM @.ev GROUP BY 1, 2", "", false, true},
    {"arrays", "SELECT DISTINCT l FROM @.ev", "", false, false},

    // Buckets of many units, of seconds since 1970, and in zones.
    {"bars", "SELECT time_bucket('5 minutes', ts) AS b, count(*) AS n FROM @.ev GROUP BY 1", "",
     true, true},
    {"long_bars", "SELECT time_bucket('3 days', ts) AS b, count(*) AS n FROM @.ev GROUP BY 1", "",
     true, false},
    {"minutes",
     "SELECT date_trunc('hour', ts) + INTERVAL '5' MINUTE * (minute(ts) / 5) AS b, count(*) AS n "
     "FROM @.ev GROUP BY 1",
     "", true, false},
    {"unix",
     "SELECT from_unixtime(floor(to_unixtime(ts) / 300) * 300) AS b, count(*) AS n FROM @.ev "
     "GROUP BY 1",
     "", true, true},
    {"epoch_hours",
     "SELECT date_trunc('hour', from_unixtime(e)) AS h, count(*) AS n FROM @.ev "
     "GROUP BY 1",
     "", true, true},
    {"chicago",
     "SELECT date_trunc('hour', CAST(ts AT TIME ZONE 'America/Chicago' AS timestamp(6))) AS h, "
     "count(*) AS n FROM @.ev GROUP BY 1",
     "", true, true},
    {"chicago_days",
     "SELECT date(ts AT TIME ZONE 'America/Chicago') AS d, count(*) AS n FROM "
     "@.ev GROUP BY 1",
     "", true, false},
    {"lord_howe",
     "SELECT date_trunc('hour', ts AT TIME ZONE 'Australia/Lord_Howe') AT TIME ZONE 'UTC' AS h, "
     "count(*) AS n FROM "
     "@.ev GROUP BY 1",
<<<<<<< HEAD
     "", true},
};

class ViewKindsStory {
public:
    enum class Engine { Embedded, Trino };

    ViewKindsStory(TestHost &host, const TableName &defaults, Engine engine,
                   std::span<const ViewKind> kinds)
        : m_services(host.services()), m_defaults(defaults), m_engine(engine)
    {
        QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false"));
        auto session = host.executor().openSession({}, Call{});
        if (!session)
            qFatal("%s", qPrintable(session.error().text()));
        m_session = *std::move(session);
        for (const auto &kind : kinds)
            add(kind);
    }

    // What went wrong, or nothing.
    QString play()
    {
        for (const auto &[statements, action] : story()) {
            for (const auto &sql : statements) {
                const auto done = execute(*m_session, named(sql), {});
                if (!done)
                    return sql + QStringLiteral(": ") + done.error().text();
            }
            if (const QString wrong = refreshAll(action); !wrong.isEmpty())
                return QStringLiteral("%1, after %2").arg(wrong, statements.last());
        }
        const QString wrong = playDuplicates();
        return wrong.isEmpty() ? playNarrowed() : wrong;
    }

private:
    struct Step {
        QStringList statements;
        QString action;  // of views whose rows the step touches in part; empty: any
    };

    QList<Step> story() const
    {
        QStringList damage;
        for (const auto &view : m_views)
            damage.append(
                QStringLiteral("INSERT INTO @.%1 SELECT * FROM @.%1").arg(view.spec.name));
        return {
            {{QStringLiteral(
                  "CREATE TABLE @.ev (id bigint, k varchar, tag varchar, ts timestamp(6) "
                  "with time zone, e bigint, x double, l array(bigint), r row(a bigint, "
                  "b varchar))"),
              values({row(1, "'a'", "'one'", "2024-03-10 07:59:59", -1, "1.5e0", "ARRAY[1, NULL]",
                          "ROW(1, NULL)"),
                      row(2, "'a'", "'one'", "2024-03-10 08:00:00", 0, "nan()", "ARRAY[]",
                          "ROW(NULL, NULL)"),
                      row(3, "'b'", "NULL", "2024-11-03 06:30:00", 299, "-0e0", "NULL", "NULL"),
                      row(4, "NULL", "'two'", "", 300, "0e0", "ARRAY[1, NULL]", "ROW(1, NULL)")})},
             {}},
            {{values({row(5, "'b'", "'tw'", "2024-03-10 08:04:59.999999", -301, "2.5e0",
                          "ARRAY[NULL]", "ROW(NULL, 'x')")})},
             QStringLiteral("incremental")},
            {{values({row(6, "NULL", "NULL", "", 86'400, "NULL", "NULL", "NULL"),
                      row(7, "'abc'", "'o'", "2024-11-03 07:30:00", 86'399, "infinity()", "ARRAY[]",
                          "ROW(NULL, NULL)"),
                      row(8, "'c'", "'one'", "1969-12-31 23:59:59.999999", -86'400, "1e0",
                          "ARRAY[2]", "ROW(2, 'y')")}),
              QStringLiteral("UPDATE @.ev SET ts = TIMESTAMP '2024-11-03 05:59:59 UTC', e = 7 "
                             "WHERE id = 1"),
              QStringLiteral("DELETE FROM @.ev WHERE k = 'b'")},
             {}},
            {damage, {}},
            {{QStringLiteral("DELETE FROM @.ev")}, {}},
        };
    }

    QString row(int id, const char *k, const char *tag, const char *ts, qint64 e, const char *x,
                const char *l, const char *r) const
    {
        const QString time = *ts ? QStringLiteral("TIMESTAMP '%1 UTC'").arg(QLatin1StringView(ts))
                                 : QStringLiteral("NULL");
        return QStringLiteral("(%1, %2, %3, %4, %5, %6, %7, %8)")
            .arg(QString::number(id), QLatin1StringView(k), QLatin1StringView(tag), time,
                 QString::number(e), QLatin1StringView(x), QLatin1StringView(l),
                 QLatin1StringView(r));
    }

    static QString values(const QStringList &rows)
    {
        QStringList selects;
        for (const auto &one : rows)
            selects.append(QStringLiteral("SELECT %1").arg(one.sliced(1, one.size() - 2)));
        return QStringLiteral("INSERT INTO @.ev ") + selects.join(QStringLiteral(" UNION ALL "));
    }

    QString named(QString text) const { return text.replace(u'@', m_defaults.schema); }

    void add(const ViewKind &kind)
    {
        View view;
        view.spec.name = QString::fromLatin1(kind.name);
        view.spec.target = {m_defaults.catalog, m_defaults.schema, view.spec.name};
        view.spec.query = named(QString::fromLatin1(kind.query));
        view.spec.keys = QString::fromLatin1(kind.keys).split(u',', Qt::SkipEmptyParts);
        auto shape = shapeOf(view.spec, m_defaults);
        if (!shape)
            qFatal("%s", qPrintable(shape.error().text()));
        view.shape = *std::move(shape);
        if (view.shape.isRanges() != kind.isIncremental)
            qFatal("view %s: %s", kind.name, qPrintable(view.shape.why));
        m_views.append(view);
    }

    QString refreshAll(const QString &action)
    {
        const auto outcomes = Refresher(m_services).refresh(m_views, RefreshMode::IfChanged, {});
        if (!outcomes)
            return outcomes.error().text();
        for (qsizetype i = 0; i < m_views.size(); ++i) {
            const auto &outcome = (*outcomes)[i];
            const QString about = QStringLiteral("view %1: ").arg(outcome.view);
            if (outcome.error)
                return about + outcome.error->text();
            const auto &view = *std::ranges::find(m_views, outcome.view,
                                                  [](const auto &one) { return one.spec.name; });
            if (view.shape.isRanges() && !action.isEmpty() && actionName(outcome.action) != action)
                return about + actionName(outcome.action) + QStringLiteral(", ") + outcome.reason;
            if (const QString wrong = difference(view); !wrong.isEmpty())
                return about + wrong;
        }
        return {};
    }

    QString difference(const View &view)
    {
        const auto wanted = sortedRows(view.shape.query);
        const auto stored =
            sortedRows(QStringLiteral("SELECT * FROM ") + view.spec.target.quoted());
        if (!wanted || !stored)
            return (wanted ? stored.error() : wanted.error()).text();
        if (*wanted != *stored)
            return QStringLiteral("has\n%1\ninstead of\n%2")
                .arg(stored->join(u'\n'), wanted->join(u'\n'));
        return {};
    }

    QString verifyAll()
    {
        for (const auto &view : m_views) {
            const bool isNumber = view.shape.isRanges() && view.shape.bucket->function.keyDomain ==
                                                               BucketFunction::Domain::Number;
            // "9" is before "1000".
            const VerifyRange range =
                isNumber ? VerifyRange{QStringLiteral("9"), QStringLiteral("1000")} : VerifyRange{};
            const auto verified = verifyView(m_services, view, range, {});
            if (!verified || !verified->equal)
                return QStringLiteral("view %1: %2")
                    .arg(view.spec.name, verified ? QStringLiteral("verify says that it differs")
                                                  : verified.error().text());
        }
        return {};
    }

    // As text without what a stored type adds; 0.0 and -0.0 are one key.
    Result<QStringList> sortedRows(const QString &sql)
    {
        IVM_TRY(const Rows rows, query(*m_session, sql, {}));
        static const QRegularExpression kZeros(QStringLiteral("\\.0+(?= UTC|$)"));
        QStringList lines;
        for (const auto &values : rows.rows) {
            QStringList texts;
            for (const auto &value : values) {
                const QString text = value.text();
                texts.append(text == u"-0" ? QStringLiteral("0")
                                           : QString(text).replace(kZeros, QString()));
            }
            lines.append(texts.join(u'|'));
        }
        lines.sort();
        return lines;
    }

    // Two rows of one declared key: the view is refused by name and stays as it was, others go on.
    QString playDuplicates()
    {
        const auto run = [&](const QString &sql) { return execute(*m_session, named(sql), {}); };
        QStringList mayFail;
        for (const auto &view : m_views) {
            if (view.shape.keySource == KeySource::Declared && view.shape.columns[0].name == u"id")
                mayFail.append(view.spec.name);
        }
        if (!run(values({row(9, "'a'", "'n'", "2026-04-04 15:10:00", 1, "1e0", "NULL", "NULL"),
                         row(9, "'z'", "'n'", "2026-04-04 15:20:00", 1, "1e0", "NULL", "NULL")})))
            return QStringLiteral("cannot insert a duplicate");
        const auto outcomes = Refresher(m_services).refresh(m_views, RefreshMode::IfChanged, {});
        if (!outcomes)
            return outcomes.error().text();
        int refused = 0;
        for (const auto &outcome : *outcomes) {
            const bool isExpected = mayFail.contains(outcome.view) && outcome.error &&
                                    outcome.error->code == u"duplicate_key" &&
                                    outcome.error->message.contains(outcome.view);
            if (outcome.error && !isExpected)
                return outcome.error->text();
            refused += isExpected ? 1 : 0;
        }
        // The hours of the two rows are the same.
        if (refused != mayFail.size())
            return QStringLiteral("%1 views were refused").arg(refused);
        for (const auto &name : mayFail) {
            if (sortedRows(named(QStringLiteral("SELECT * FROM @.") + name)) != QStringList())
                return QStringLiteral("a refused view was written to");
        }
        if (!run(QStringLiteral("DELETE FROM @.ev WHERE k = 'z'")))
            return QStringLiteral("cannot delete the duplicate");
        const QString wrong = refreshAll({});
        return wrong.isEmpty() ? verifyAll() : wrong;
    }

    // A key whose values the table format would make equal: refused where it stands, and no table.
    QString playNarrowed()
    {
        View view;
        view.spec.name = QStringLiteral("narrowed");
        view.spec.target = {m_defaults.catalog, m_defaults.schema, view.spec.name};
        view.spec.query = named(QStringLiteral("SELECT k,\n  CAST(ts AS timestamp(9)) AS t,\n  "
                                               "count(*) AS n FROM @.ev GROUP BY 1, 2"));
        view.spec.queryPlace = {QStringLiteral("views.yaml"), 4, 7};
        view.spec.queryIndent = 6;
        view.shape = shapeOf(view.spec, m_defaults).value();
        const auto outcomes = Refresher(m_services).refresh({view}, RefreshMode::IfChanged, {});
        const auto error = outcomes ? outcomes->front().error : std::nullopt;
        if (!error || error->place.line != 5 || error->kind != ErrorKind::Unsupported)
            return QStringLiteral("a narrowed key: ") +
                   (error ? error->text() : QStringLiteral("was not refused"));
        if (m_engine == Engine::Trino &&
            (error->code != u"unstorable_type" || error->hint.isEmpty()))
            return error->text();
        const auto table = m_session->tableInfo(view.spec.target, {});
        return table ? QStringLiteral("a refused view has a table") : QString();
    }

    RefreshServices m_services;
    TableName m_defaults;
    std::unique_ptr<Session> m_session;
    Engine m_engine;
    QList<View> m_views;
=======
     "", true, false},
>>>>>>> 153c59b (Tell the story of all kinds of views in a Scenario, with fewer statements on a cluster)
};

}  // namespace ivm::test
