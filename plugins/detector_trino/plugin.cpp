#include "plugins/detector_trino/trino_detector.h"

namespace ivm::trino {

class TrinoDetectorPlugin final : public QObject, public DetectorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_DETECTOR_IID FILE "trino.json")
    Q_INTERFACES(ivm::DetectorFactory)

public:
    Result<std::unique_ptr<Detector>> create(const PluginOptions &,
                                             ExecutorProvider executor) override
    {
        return std::make_unique<TrinoDetector>(std::move(executor));
    }
};

}  // namespace ivm::trino

#include "plugin.moc"
