// A plugin that breaks the contract: makes nothing, or throws once it is made.
#include "framework/api/plugin.h"

#include <QObject>

#include <stdexcept>

namespace {

[[noreturn]] void burn() { throw std::runtime_error("on fire"); }

class CarelessSession final : public ivm::Session {
public:
    using Columns = ivm::Result<QList<ivm::Column>>;

    explicit CarelessSession(const QString &how) : m_how(how) {}

    ivm::Result<ivm::StatementResult> run(const QString &, ivm::RowSink &sink,
                                          const ivm::Call &) override
    {
        if (m_how != u"ragged")
            burn();
        IVM_CHECK(sink.columns(QList<ivm::Column>(2)));
        IVM_CHECK(sink.row({ivm::Value{qint64(1)}}));
        return ivm::StatementResult{};
    }
    Columns describe(const QString &, const ivm::Call &) override { burn(); }
    ivm::Result<ivm::TableInfo> tableInfo(const ivm::TableName &, const ivm::Call &) override
    {
        burn();
    }
    ivm::Status createTable(const ivm::TableSpec &, const ivm::Call &) override { burn(); }
    ivm::Status dropTable(const ivm::TableName &, const ivm::Call &) override { burn(); }
    ivm::Result<ivm::CommitResult> commit(const ivm::Change &, const ivm::Intent &,
                                          const ivm::IntentRecorder &, const ivm::Call &) override
    {
        burn();
    }
    ivm::Result<ivm::Settlement> settle(const ivm::Intent &, const ivm::Call &) override { burn(); }

private:
    const QString m_how;
};

class CarelessExecutor final : public ivm::Executor {
public:
    explicit CarelessExecutor(const QString &how) : m_how(how) {}

    bool can(ivm::Capability) const override { return false; }
    ivm::TableName defaults() const override
    {
        return {QStringLiteral("iceberg"), QStringLiteral("main"), {}};
    }
    ivm::Result<std::unique_ptr<ivm::Session>> openSession(const ivm::SessionOptions &,
                                                           const ivm::Call &) override
    {
        if (m_how == u"opening")
            burn();
        if (m_how == u"no session")
            return std::unique_ptr<ivm::Session>();
        return std::make_unique<CarelessSession>(m_how);
    }

private:
    const QString m_how;
};

}  // namespace

class CarelessFactory final : public QObject, public ivm::ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "plugin.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Executor>> create(const ivm::PluginOptions &options,
                                                       ivm::SafeHorizon) override
    {
        if (options.value(u"how").toString() == u"nothing")
            return std::unique_ptr<ivm::Executor>();
        return std::make_unique<CarelessExecutor>(options.value(u"how").toString());
    }
};

#include "plugin.moc"
