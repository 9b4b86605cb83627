// A plugin that needs a library which is not installed.
#include "framework/api/plugin.h"

#include <QObject>

int answerOfTheAbsent();

class NeedyDetector final : public QObject, public ivm::DetectorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_DETECTOR_IID FILE "plugin.json")
    Q_INTERFACES(ivm::DetectorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Detector>> create(const ivm::PluginOptions &,
                                                       ivm::ExecutorProvider) override
    {
        return ivm::fail(ivm::internalError(QString::number(answerOfTheAbsent())));
    }
};

#include "plugin.moc"
