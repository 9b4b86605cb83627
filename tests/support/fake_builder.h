// A builder of views that builds nothing and writes down what it was asked, for tests of what runs
// migrations.
//
// One call at a time.
#pragma once

#include "framework/migrate/view_builder.h"

#include <functional>

namespace ivm::test {

class FakeBuilder final : public migrate::ViewBuilder {
public:
    // "build v", "verify v", "switch v from v@2", "restore v", "drop v, table", "rename v w".
    QStringList log;
    // The next calls that begin with one of these fail, each once.
    QMap<QString, Error> failures;
    // What a view's target looks like to the next switch; restore() finds it, unless it is gone.
    QByteArray version = "{\"at\":1}";
    bool isExpired = false;
    // What happens while it builds.
    std::function<void()> meanwhile;

    Result<migrate::Built> build(const View &view, const Call &) override
    {
        if (meanwhile)
            meanwhile();
        return done(QStringLiteral("build ") + view.spec.name);
    }
    Result<migrate::Built> backfill(const View &view, const Call &) override
    {
        return done(QStringLiteral("backfill ") + view.spec.name);
    }
    Status verify(const View &view, const Call &) override
    {
        IVM_CHECK(note(QStringLiteral("verify ") + view.spec.name));
        return {};
    }
    Result<migrate::Built> switchTo(const View &view, const View &built,
                                    const migrate::BeforeSwitch &before, const Call &) override
    {
        IVM_CHECK(before({version, {1}}));
        return done(QStringLiteral("switch %1 from %2").arg(view.spec.name, built.spec.name));
    }
    Result<bool> canRestore(const View &, const migrate::TargetVersion &, const Call &) override
    {
        return !isExpired;
    }
    Result<migrate::Built> restore(const View &view, const migrate::TargetVersion &from,
                                   const migrate::BeforeSwitch &before, const Call &) override
    {
        IVM_CHECK(before({version, {}}));
        return done(
            QStringLiteral("restore %1 %2").arg(view.spec.name, QString::fromUtf8(from.document)));
    }
    Status drop(const View &view, Target target, const Call &) override
    {
        const QString table = target == Target::Drop ? QStringLiteral(", table") : QString();
        return note(QStringLiteral("drop %1%2").arg(view.spec.name, table));
    }
    Status rename(const View &from, const View &to, const migrate::BeforeSwitch &before,
                  const Call &) override
    {
        IVM_CHECK(before({version, {}}));
        return note(QStringLiteral("rename %1 %2").arg(from.spec.name, to.spec.name));
    }

private:
    Status note(const QString &what)
    {
        log.append(what);
        for (auto it = failures.begin(); it != failures.end(); ++it) {
            if (!what.startsWith(it.key()))
                continue;
            const Error error = it.value();
            failures.erase(it);
            return fail(error);
        }
        return {};
    }
    Result<migrate::Built> done(const QString &what)
    {
        IVM_CHECK(note(what));
        return migrate::Built{.action = QStringLiteral("rebuild"), .rowsWritten = 1};
    }
};

}  // namespace ivm::test
