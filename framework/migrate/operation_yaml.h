// Writes operations as a migration file has them: what operation_reader.h reads.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/operation.h"
#include "framework/yaml/yaml_writer.h"

namespace ivm::migrate {

// The step as a map of one key, the operation's name. Names are told as far as they differ from
// `defaults`; what is as without it is left out.
yaml::Node stepNode(const Operation &operation, const TableName &defaults);

// The name as far as it differs from `defaults`, parts quoted where they need it.
QString shortName(const TableName &name, const TableName &defaults);

}  // namespace ivm::migrate
