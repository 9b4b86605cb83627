// ivmctl as a process of its own, over the tables and the state of a scenario.
//
// One thread. Lifetime: of a test function; the scenario outlives it.
#pragma once

#include "tests/e2e/scenario.h"
#include "tests/support/program.h"

#include <QJsonArray>

namespace ivm::test {

class Ivmctl {
public:
    // `views` is a views file, with '@' for the schema.
    Ivmctl(const Scenario &scenario, const QString &views) : m_program(QStringLiteral(IVM_CTL))
    {
        const bool isTrino = scenario.engine() == Engine::Trino;
        for (const char *name : {"TRINO_URL", "TRINO_USER"}) {
            if (isTrino)
                m_program.set(QString::fromLatin1(name), qEnvironmentVariable(name));
        }
        configure((isTrino ? QStringLiteral("executor: {plugin: trino, catalog: iceberg, schema: "
                                            "%1}\n")
                                 .arg(scenario.schema())
                           : QStringLiteral("executor: {plugin: duckdb, warehouse: %1}\n")
                                 .arg(scenario.folder())) +
                  QStringLiteral("state: {path: %1/state.db}\n").arg(scenario.folder()) +
                  QStringLiteral("history: {schema: %1_history}\n").arg(scenario.schema()));
        if (!views.isEmpty())
            write(QStringLiteral("views.yaml"), QString(views).replace(u'@', scenario.schema()));
    }

    void configure(const QString &config) const { write(QStringLiteral("ivm.yaml"), config); }
    void setZone(const QString &zone) { m_program.set(QStringLiteral("TZ"), zone); }
    QString folder() const { return m_program.folder(); }

    Ran run(const QStringList &arguments) const { return m_program.run(arguments); }

    Ran interrupted(const QStringList &arguments, int signal,
                    const std::function<bool()> &isTime) const
    {
        return m_program.interrupted(arguments, signal, isTime);
    }
    void set(const QString &variable, const QString &value) { m_program.set(variable, value); }
    const Program &program() const { return m_program; }
    void write(const QString &name, const QString &text) const
    {
        if (!m_program.write(name, text.toUtf8()))
            qFatal("cannot write %s", qPrintable(name));
    }

    // What each view's refresh did; or the error's text.
    QStringList refresh(const QStringList &options = {}) const
    {
        const auto ran =
            run(QStringList{QStringLiteral("refresh"), QStringLiteral("--json")} + options);
        if (ran.code != 0)
            return {ran.err};
        QStringList actions;
        const auto views = ran.json().value(u"views").toArray();
        for (const auto &view : views)
            actions.append(view.toObject().value(u"action").toString());
        return actions;
    }

private:
    Program m_program;
};

}  // namespace ivm::test
