// From what a user wrote to what a plugin is given: checked and completed by the plugin's own list
// of options.
//
// An option comes from the configuration, else from its environment variable, else from
// `inherited`, else from its default. Pure but for files that hold secrets; any thread.
#pragma once

#include "framework/host/config.h"
#include "framework/host/plugin_metadata.h"

namespace ivm {

struct OptionSources {
    const PluginChoice &choice;
    const Environment &environment;
    QString folder;  // relative paths start here
    QJsonObject inherited =
        {};  // options of the executor: a detector that needs the same one gets the same value
};

// The options, complete; paths absolute. Every problem is added to `problems`; the result must not
// be used then. A secret `x` is never in the configuration itself, but may be in a file that the
// key `x_file` names.
QJsonObject completeOptions(const PluginMetadata &plugin, const OptionSources &sources,
                            QList<Error> &problems);

}  // namespace ivm
