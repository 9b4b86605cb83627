// The plugin's root object.
#include "detector.h"

#include <QObject>

namespace example_plugin {

class ExamplePlugin final : public QObject, public ivm::DetectorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_DETECTOR_IID FILE "example.json")
    Q_INTERFACES(ivm::DetectorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Detector>> create(const ivm::PluginOptions &,
                                                       ivm::ExecutorProvider executor) override
    {
        return std::make_unique<ExampleDetector>(std::move(executor));
    }
};

}  // namespace example_plugin

#include "plugin.moc"
