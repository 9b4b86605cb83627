// The plugin `catalog`: a detector that reads catalog and metadata files itself.
#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/detector_catalog/options.h"

#include <QObject>

namespace ivm::catalog {

class CatalogDetectorFactory final : public QObject, public DetectorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_DETECTOR_IID FILE "catalog.json")
    Q_INTERFACES(ivm::DetectorFactory)

public:
    Result<std::unique_ptr<Detector>> create(const PluginOptions &options,
                                             ExecutorProvider) override
    {
        IVM_TRY(const auto catalog, readOptions(options));
        return std::make_unique<CatalogDetector>(catalog, engineCatalog(options));
    }
};

}  // namespace ivm::catalog

#include "plugin.moc"
