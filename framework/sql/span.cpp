#include "framework/sql/span.h"

#include <algorithm>

namespace ivm::sql {

Place placeOf(QStringView text, qsizetype offset)
{
    const qsizetype end = std::clamp<qsizetype>(offset, 0, text.size());
    int line = 1;
    qsizetype lineStart = 0;
    for (qsizetype i = 0; i < end; ++i) {
        const bool carriageReturn = text[i] == u'\r';
        if (!carriageReturn && text[i] != u'\n')
            continue;
        if (carriageReturn && i + 1 < text.size() && text[i + 1] == u'\n')
            continue;
        ++line;
        lineStart = i + 1;
    }
    return {.file = {}, .line = line, .column = static_cast<int>(end - lineStart) + 1};
}

}  // namespace ivm::sql
