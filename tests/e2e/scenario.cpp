#include "tests/e2e/scenario.h"

#include "framework/view/outputs.h"
#include "framework/view/shape.h"

#include <QUuid>

namespace ivm::test {

namespace {

QString freshSchema()
{
    return QStringLiteral("scenario_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
}

TestHost hostOf(Engine engine, const QString &folder, const QString &schema)
{
    if (engine == Engine::Embedded)
        return TestHost::embedded(folder);
    return TestHost::trino(QStringLiteral("iceberg"), schema, folder + QStringLiteral("/state.db"));
}

}  // namespace

Scenario::Scenario(Engine engine)
    : m_engine(engine), m_schema(freshSchema()), m_host(hostOf(engine, m_folder.path(), m_schema))
{
    auto session = m_host.executor().openSession({}, Call{});
    if (!session)
        qFatal("%s", qPrintable(session.error().text()));
    m_session = *std::move(session);
    run(QStringLiteral("CREATE SCHEMA @"));
}

Scenario::~Scenario()
{
    if (m_engine == Engine::Trino)
        (void)execute(*m_session, text(QStringLiteral("DROP SCHEMA @ CASCADE")), {});
}

QStringList Scenario::rows(const QString &sql)
{
    const auto result = query(*m_session, text(sql), {});
    if (!result)
        return {result.error().text()};
    QStringList lines;
    for (const auto &row : result->rows) {
        QStringList values;
        for (const auto &value : row)
            values.append(value.text());
        lines.append(values.join(u'|'));
    }
    return lines;
}

void Scenario::run(const QStringList &statements)
{
    for (const auto &sql : statements) {
        const auto done = execute(*m_session, text(sql), {});
        QVERIFY2(done, done ? "" : qPrintable(sql + QStringLiteral(": ") + done.error().text()));
    }
}

View Scenario::view(const QString &name, const QString &query) const
{
    const TableName defaults{QStringLiteral("iceberg"), m_schema, {}};
    View view;
    view.spec.name = name;
    view.spec.target = {defaults.catalog, m_schema, name};
    view.spec.query = text(query);
    view.spec.queryPlace = {QStringLiteral("views.yaml"), 3, 12};
    auto shape = shapeOf(view.spec, defaults);
    if (!shape)
        qFatal("%s", qPrintable(shape.error().text()));
    view.shape = *std::move(shape);
    return view;
}

QString Scenario::refreshed(const View &view)
{
    const auto outcomes = Refresher(services()).refresh({view}, RefreshMode::IfChanged, {});
    if (!outcomes)
        return outcomes.error().text();
    if (outcomes->front().error)
        return outcomes->front().error->text();
    const QString action = actionName(outcomes->front().action);
    const QString found = difference(view);
    return found.isEmpty() ? action : QString(action + QStringLiteral(", but ") + found);
}

QString Scenario::difference(const View &view)
{
    const auto wanted = query(*m_session, view.spec.query, {});
    if (!wanted)
        return wanted.error().text();
    const auto stored =
        query(*m_session, QStringLiteral("SELECT * FROM %1").arg(view.spec.target.quoted()), {});
    if (!stored)
        return stored.error().text();
    const auto outputs = outputColumns(view.spec, view.shape, wanted->columns);
    if (!outputs)
        return outputs.error().text();
    if (const QString how = Oracle(*outputs).difference(*wanted, *stored); !how.isEmpty())
        return how;
    auto all = services();
    const auto verified = verifyView(all, view, {}, {});
    if (!verified)
        return verified.error().text();
    return verified->equal ? QString() : QStringLiteral("verify says that it differs");
}

}  // namespace ivm::test
