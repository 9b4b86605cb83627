// What the tests of rollouts are told in: an hourly view whose table people read, and what it may
// become.
//
// One thread. Lifetime: of one test function.
#pragma once

#include "framework/refresh/rollout.h"
#include "tests/e2e/each_engine.h"

#include <QDateTime>
#include <QFile>
#include <QTest>

namespace ivm::test {

inline const auto kOld =
    QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) AS "
                   "total FROM @.ev GROUP BY 1, 2");
inline const auto kMeasure = QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(x) AS n, "
                                            "sum(x + 1) AS total FROM @.ev GROUP BY 1, 2");
inline const auto kFilter =
    QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) "
                   "AS total FROM @.ev WHERE x > 2 GROUP BY 1, 2");
inline const auto kBucket =
    QStringLiteral("SELECT k, date_trunc('day', ts) AS h, count(*) AS n, sum(x) "
                   "AS total FROM @.ev GROUP BY 1, 2");
inline const auto kColumn =
    QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) "
                   "AS total, max(x) AS most FROM @.ev GROUP BY 1, 2");
inline const auto kDaily = QStringLiteral(
    "SELECT date_trunc('day', h) AS d, sum(n) AS n, max(total) AS most FROM @.hourly GROUP BY 1");

// What a run that is killed works with: it has a process of its own.
inline View viewIn(const QString &schema, const QString &name, QString query)
{
    const TableName defaults{QStringLiteral("iceberg"), schema, {}};
    View view;
    view.spec.name = name;
    view.spec.target = {defaults.catalog, schema, name};
    view.spec.query = query.replace(u'@', schema);
    view.spec.queryPlace = {QStringLiteral("views.yaml"), 3, 12};
    auto shape = shapeOf(view.spec, defaults);
    if (!shape)
        qFatal("%s", qPrintable(shape.error().text()));
    view.shape = *std::move(shape);
    return view;
}

// The same definition beside it.
inline View beside(View view)
{
    view.spec.target.table += QStringLiteral("__v2");
    view.spec.name += QStringLiteral("@2");
    return view;
}

inline View renamed(View view)
{
    view.spec.target.table = QStringLiteral("by_hour");
    view.spec.name = QStringLiteral("by_hour");
    return view;
}

inline View partitioned(View view)
{
    view.spec.targetPartitioning = {{Transform::Day, QStringLiteral("h"), 0}};
    view.spec.sortedBy = {QStringLiteral("k")};
    return view;
}

inline QString partitionedName() { return QStringLiteral("partitioned"); }

// The definition that a name of ours stands for.
inline View definition(const QString &schema, const QString &name)
{
    const QMap<QString, QString> queries{{QStringLiteral("old"), kOld},
                                         {QStringLiteral("measure"), kMeasure},
                                         {QStringLiteral("filter"), kFilter},
                                         {QStringLiteral("bucket"), kBucket},
                                         {QStringLiteral("column"), kColumn}};
    const View view = viewIn(schema, QStringLiteral("hourly"), queries.value(name, kOld));
    return name == partitionedName() ? partitioned(view) : view;
}

// What a run remembers for the way back, as a history does.
class Versions {
public:
    explicit Versions(const QString &folder) : m_path(folder + QStringLiteral("/version.json")) {}

    // Where one is kept already, that one stays.
    BeforeSwitch keep() const
    {
        return [this, isKept = !isEmpty()](const TargetVersion &version) -> Status {
            if (isKept)
                return {};
            QFile file(m_path);
            if (!file.open(QIODevice::WriteOnly) || file.write(version.toJson()) < 0)
                return fail(unavailableError(file.errorString()));
            return {};
        };
    }

    TargetVersion kept() const
    {
        QFile file(m_path);
        if (!file.open(QIODevice::ReadOnly))
            qFatal("nothing was kept");
        const auto version = TargetVersion::fromJson(file.readAll(), u"the version");
        if (!version)
            qFatal("%s", qPrintable(version.error().text()));
        return *version;
    }

    bool isEmpty() const { return !QFile::exists(m_path); }
    void forget() const { QFile::remove(m_path); }

private:
    QString m_path;
};

inline const BeforeSwitch kNothing = [](const TargetVersion &) { return Status(); };

// The action, or the error's text.
inline QString told(const Result<RefreshOutcome> &outcome)
{
    return outcome ? actionName(outcome->action) : outcome.error().text();
}

// With the source and the view's table, which is refreshed by the old definition.
class RolloutScene : public Scenario {
public:
    RolloutScene();

    View named(const QString &name) const { return definition(schema(), name); }
    View daily() const { return view(QStringLiteral("daily"), kDaily); }
    Versions versions() const { return Versions(folder()); }
    Rollout rollout() { return Rollout(services()); }
    void append(int x)
    {
        run(QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2024-01-02 10:00:00', "
                           "'a', %1), (TIMESTAMP '2024-01-09 10:00:00', 'new', %1)")
                .arg(x));
    }
    TableSpec layoutOf(const QString &table)
    {
        const auto session = host().executor().openSession({}, Call{});
        const auto info =
            (*session)->tableInfo({QStringLiteral("iceberg"), schema(), table}, Call{});
        if (!info)
            qFatal("%s", qPrintable(info.error().text()));
        return {.name = info->name,
                .columns = info->columns,
                .partitioning = info->partitioning,
                .sortedBy = info->sortedBy,
                .comment = info->comment};
    }
};

// Three days, and rows without a time.
inline RolloutScene::RolloutScene() : Scenario(kEngine)
{
    QStringList rows{QStringLiteral("(NULL, 'a', 1)"), QStringLiteral("(NULL, NULL, NULL)")};
    for (int hour = 0; hour < 60; ++hour)
        rows.append(QStringLiteral("(TIMESTAMP '%1', '%2', %3)")
                        .arg(QDateTime(QDate(2024, 1, 1), QTime(0, 0))
                                 .addSecs(hour * 3600)
                                 .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                             hour % 2 ? QStringLiteral("a") : QStringLiteral("b"),
                             QString::number(hour)));
    run({QStringLiteral("CREATE TABLE @.ev (ts timestamp(6), k varchar, x bigint)"),
         QStringLiteral("INSERT INTO @.ev VALUES ") + rows.join(QStringLiteral(", "))});
    QCOMPARE(refreshed(named(QStringLiteral("old"))), kRebuild);
}

}  // namespace ivm::test
