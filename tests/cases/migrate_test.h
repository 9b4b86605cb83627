// Migrations as a user has them: ivmctl over the tables of a scenario, and a folder of files.
//
// One thread.
#pragma once

#include "tests/cases/ivmctl.h"
#include "tests/e2e/each_engine.h"

#include <QTest>

namespace ivm::test {

class MigrateTest {
protected:
    // Nothing is there but the empty folder.
    void begin()
    {
        m_scenario = std::make_unique<Scenario>(kEngine);
        m_ivmctl = std::make_unique<Ivmctl>(*m_scenario, QString());
        if (!kIsTrino)
            m_ivmctl->configure(
                QStringLiteral("executor: {plugin: duckdb, warehouse: %1, schema: %2}\n"
                               "history: {schema: %2_history}\n")
                    .arg(m_scenario->folder(), m_scenario->schema()));
        QCOMPARE(migrate(QStringLiteral("init")).code, 0);
    }
    void end()
    {
        for (const char *table : {"history", "events", "lock", "views"})
            m_scenario->run(
                QStringLiteral("DROP TABLE IF EXISTS %1").arg(history(QString::fromLatin1(table))));
        m_scenario->run(QStringLiteral("DROP SCHEMA IF EXISTS @_history"));
        m_ivmctl.reset();
        m_scenario.reset();
    }

    // A file of migrations/, with '@' for the schema.
    void write(const QString &name, const QString &text)
    {
        m_ivmctl->write(QStringLiteral("migrations/") + name,
                        QString(text).replace(u'@', m_scenario->schema()));
    }
    void remove(const QString &name)
    {
        QVERIFY(QFile::remove(m_ivmctl->folder() + QStringLiteral("/migrations/") + name));
    }
    Ran migrate(const QString &arguments)
    {
        return m_ivmctl->run(
            QStringLiteral("migrate %1").arg(arguments).split(u' ', Qt::SkipEmptyParts));
    }
    QJsonObject status() { return migrate(QStringLiteral("status --json")).json(); }
    // "1 applied, 2 failed", of those that the history knows.
    QString applied()
    {
        QStringList out;
        const auto all = status().value(u"applied").toArray();
        for (const auto &record : all)
            out.append(QStringLiteral("%1 %2").arg(QString::number(record[u"version"].toInteger()),
                                                   record[u"status"].toString()));
        return out.join(QStringLiteral(", "));
    }
    static QString history(const QString &table)
    {
        return QStringLiteral("@_history.migration_") + table;
    }

    std::unique_ptr<Scenario> m_scenario;
    std::unique_ptr<Ivmctl> m_ivmctl;
};

}  // namespace ivm::test
