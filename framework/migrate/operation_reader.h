// Reads the operations of a migration file.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/operation.h"
#include "framework/yaml/yaml.h"

namespace ivm::migrate {

struct Step {
    Operation operation;
    Place place;
    QString checksum;  // of what it says, not of how it is written
};

// Every operation's name, in the order of the documentation.
QStringList operationNames();

// A list of maps of one key each, the operation's name. Problems, with places, go to `problems`;
// steps that have one are left out. `defaults` are the catalog and schema of bare names.
QList<Step> readSteps(const yaml::Node &list, const TableName &defaults, QList<Error> &problems);

}  // namespace ivm::migrate
