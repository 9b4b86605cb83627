// Places in a SQL text: where a node was written, and the line and column a person looks for.
//
// Plain data; thread-safe. A span belongs to the text that was parsed and says nothing about any
// other text.
#pragma once

#include "framework/base/error.h"

#include <QStringView>

namespace ivm::sql {

// Half-open: [begin, end) in UTF-16 units of the parsed text. Nodes that nobody wrote have the
// empty span at 0.
struct Span {
    qsizetype begin = 0;
    qsizetype end = 0;

    qsizetype size() const { return end - begin; }
    bool empty() const { return begin == end; }
    QStringView of(QStringView text) const { return text.sliced(begin, size()); }

    bool operator==(const Span &) const = default;
};

// From the start of `first` to the end of `last`.
inline Span spanned(Span first, Span last) { return Span{first.begin, last.end}; }

// Line and column of an offset, both from 1; the column counts UTF-16 units. A line ends with \n,
// \r\n or \r. An offset past the end is the place just after the text.
Place placeOf(QStringView text, qsizetype offset);

}  // namespace ivm::sql
