// A YAML file as a tree of our own, each node with its place: the only file that talks to yaml-cpp.
//
// Plain data; any thread. Text of any bytes is fine: it is read or refused, within bounds of size,
// depth and aliases. What is kept of YAML: maps with plain keys, lists, scalars of every style,
// anchors and aliases, merge keys (`<<`), and the tags of the core schema. Refused: a second
// document, other tags, keys that are not plain text.
#pragma once

#include "framework/base/result.h"

#include <QByteArray>
#include <QStringList>

#include <vector>

namespace ivm::yaml {

inline constexpr qsizetype kMaxBytes = 2 * 1024 * 1024;
inline constexpr int kMaxDepth = 32;
inline constexpr int kMaxNodes = 200'000;  // aliases count with all that they repeat

struct Entry;

struct Node {
    enum class Kind { Null, Scalar, List, Map };

    Kind kind = Kind::Null;
    Place place;

    // Scalar.
    QString text;
    bool quoted = false;  // quoted or a block: text, whatever it looks like
    // Where the first character of `text` stands in the file, and how far each further line is
    // indented there; -1 where the lines of the text are not lines of the file (folded, escaped).
    Place textPlace = {};
    int textIndent = -1;
    bool isFolded = false;  // lines of the file became one line of `text`

    std::vector<Node> items = {};  // List
    std::vector<Entry> entries =
        {};  // Map, in the file's order; a key that is given twice is there twice

    const Node *find(QStringView key) const;  // of a map: the first entry of that key, or null
    QString kindName() const;                 // "a list", "a map", "text", "empty"
};

// Where in the file a place in a scalar's text (line and column from 1) stands; the text's start
// where that is not known.
Place placeInText(const Node &scalar, const Place &inText);

struct Entry {
    QString key;
    Place place;
    Node value;
};

// The one document in `bytes`, UTF-8 with or without a byte order mark; a Null node when there is
// none. Invalid, with the place in `file`, code `yaml`.
Result<Node> parse(const QByteArray &bytes, const QString &file);

// Reads and parses a file. NotFound, Unavailable (cannot be read), Invalid (as parse()).
Result<Node> parseFile(const QString &path);

}  // namespace ivm::yaml
