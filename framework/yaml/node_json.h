// A YAML tree as JSON.
//
// Pure; any thread.
#pragma once

#include "framework/yaml/yaml.h"

#include <QJsonValue>

namespace ivm::yaml {

// Plain scalars that are true, false or a finite number become that, all others text; of a key that
// is given twice the last counts.
QJsonValue jsonOf(const Node &node);

}  // namespace ivm::yaml
