// What both programs do before they are themselves.
//
// Threads: the main thread.
#pragma once

#include "framework/host/host.h"

namespace ivm {

// Qt warns, and spells names wrongly, where the locale's text is not UTF-8. Call first.
void useUtf8();

// The working folder, the environment and where plugins are; needs the QCoreApplication. An option
// that was not given leaves its default.
HostRequest hostRequest(const QString &program, const std::optional<QString> &config,
                        const std::optional<QString> &views);

}  // namespace ivm
