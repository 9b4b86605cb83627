// The target as libFuzzer calls it: a complaint ends the program, so that the input is kept.
#include "tests/fuzz/target.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const char *data, size_t size)
{
    const QString wrong = ivm::fuzz::complaint(QByteArray(data, qsizetype(size)));
    if (!wrong.isEmpty()) {
        std::fprintf(stderr, "%s\n", qPrintable(wrong));
        std::abort();
    }
    return 0;
}
