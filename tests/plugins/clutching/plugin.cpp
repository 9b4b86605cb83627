// A state store in memory that stands for an engine that hangs: what a host gives back as it ends
// is never taken.
#include "tests/support/fake_store.h"

#include "framework/api/plugin.h"

#include <QObject>

#include <atomic>
#include <thread>

using namespace ivm;

namespace {

const SystemClock kClock;

class ClutchingStore final : public test::FakeStore {
public:
    ClutchingStore() : FakeStore(kClock) {}

    Status releaseLease(const QString &token) override
    {
        using namespace std::chrono_literals;
        // A host that starts takes its place again, with its address.
        if (m_releases++ > 0)
            std::this_thread::sleep_for(60s);  // lint: allow sleep: it stands for one that hangs
        return FakeStore::releaseLease(token);
    }

private:
    std::atomic<int> m_releases = 0;
};

}  // namespace

class ClutchingFactory final : public QObject, public StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "plugin.json")
    Q_INTERFACES(ivm::StoreFactory)

public:
    Result<std::unique_ptr<StateStore>> createState(const PluginOptions &,
                                                    ExecutorProvider) override
    {
        return std::make_unique<ClutchingStore>();
    }
};

#include "plugin.moc"
