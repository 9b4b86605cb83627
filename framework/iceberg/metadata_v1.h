// What metadata files of format version 1 have otherwise.
//
// Pure functions; any thread. Private to this folder. Source: Iceberg table spec, "Table Metadata"
// and "Reading v1 metadata" in its appendix on format versions.
#pragma once

#include "framework/base/result.h"

#include <QJsonObject>
#include <QStringList>

namespace ivm::iceberg {

// The object with what version 2 has besides, where it is missing. What has the wrong shape is left
// as it is.
QJsonObject upgradedFromVersion1(QJsonObject object);

// "manifests" of a snapshot. Corrupt, naming `what`.
Result<QStringList> inlineManifests(const QJsonObject &snapshot, QStringView what);

}  // namespace ivm::iceberg
