// Writes YAML that reads back as what was written.
//
// Pure; any thread.
#pragma once

#include "framework/yaml/yaml.h"

#include <QJsonValue>

namespace ivm::yaml {

// Nodes to be written; they have no place.
Node textNode(const QString &text);  // a text, whatever it looks like
// The same, in a literal block where one can hold it; it then has a line end at its end, which its
// readers do not mind.
Node blockNode(const QString &text);
Node plainNode(const QString &word);  // as it stands: true, 2
Node listNode(const QStringList &texts);
Node mapNode(std::vector<Entry> entries);
Entry entryNode(const QString &key, Node value);
// What jsonOf() gives back.
Node nodeOf(const QJsonValue &value);

// A node from where its first character stands; its further lines are indented by `indent`. Lists
// of texts and short maps of them stand on one line, texts of several lines in literal blocks.
QString write(const Node &node, int indent = 0);
// The same, but each item or entry of the node itself begins a line.
QString writeLines(const Node &node, int indent = 0);

// A text on one line: bare where it reads as the same text, else in double quotes.
QString scalarText(const QString &text);
// Whether the lines of a literal block can hold the text.
bool fitsABlock(const QString &text);
// The text as a literal block, its lines indented by `indent`; no line end at its end.
QString blockText(const QString &text, int indent);

}  // namespace ivm::yaml
