#include "framework/api/plugin.h"

namespace ivm {

Result<std::unique_ptr<StateStore>> StoreFactory::createState(const PluginOptions &,
                                                              ExecutorProvider)
{
    return fail(unsupportedError(QStringLiteral("this plugin keeps no state")));
}

Result<std::unique_ptr<HistoryStore>>
StoreFactory::createHistory(const PluginOptions &, ExecutorProvider, DetectorProvider)
{
    return fail(unsupportedError(QStringLiteral("this plugin keeps no history")));
}

}  // namespace ivm
