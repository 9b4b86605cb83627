#include "framework/yaml/yaml.h"

#include "framework/yaml/yaml_text.h"

#include <QFile>
#include <QFileInfo>
#include <QHash>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

namespace ivm::yaml {

namespace {

Error yamlError(QString message, Place place)
{
    return invalidError(std::move(message)).withCode(u"yaml").at(std::move(place));
}

// Thrown by the builder through yaml-cpp, and caught in parse().
struct Refused {
    Error error;
};

// Builds the tree from yaml-cpp's events, which, unlike its own tree, keep duplicate keys.
class Builder final : public YAML::EventHandler {
public:
    explicit Builder(const SourceText &text) : m_text(text) {}

    Node take() { return std::move(m_root); }
    // The innermost list or map that was open when reading ended; none at the top.
    std::optional<Place> openPlace() const
    {
        return m_levels.empty() ? std::nullopt : std::optional(m_levels.back().node.place);
    }

    void OnDocumentStart(const YAML::Mark &) override {}
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override
    {
        add({.kind = Node::Kind::Null, .place = place(mark), .text = {}}, anchor);
    }

    void OnAlias(const YAML::Mark &mark, YAML::anchor_t anchor) override
    {
        const auto known = m_anchors.constFind(anchor);
        if (known == m_anchors.constEnd())
            refuse(QStringLiteral("the alias stands inside what it repeats"), place(mark));
        count(known->size, mark);
        put(known->node);
    }

    void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  const std::string &value) override
    {
        const bool isText = tag == "!" || tag == "tag:yaml.org,2002:str";
        const bool plain = tag == "?" || tag.empty() || tag == "tag:yaml.org,2002:int" ||
                           tag == "tag:yaml.org,2002:float" || tag == "tag:yaml.org,2002:bool" ||
                           tag == "tag:yaml.org,2002:null";
        if (!isText && !plain)
            refuseTag(tag, mark);
        Node node{.kind = Node::Kind::Scalar,
                  .place = place(mark),
                  .text = QString::fromStdString(value)};
        node.quoted = isText;
        const bool nothing = plain && (value.empty() || value == "~" || value == "null" ||
                                       value == "Null" || value == "NULL");
        if (nothing) {
            node.kind = Node::Kind::Null;
        } else if (const auto located = m_text.locateText(mark.line, mark.column, node); !located) {
            throw Refused{located.error()};
        }
        add(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(Node::Kind::List, "tag:yaml.org,2002:seq", mark, tag, anchor);
    }
    void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(Node::Kind::Map, "tag:yaml.org,2002:map", mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct Level {
        Node node;
        YAML::anchor_t anchor = YAML::NullAnchor;
        int countBefore = 0;
        bool hasKey = false;  // of a map: the last entry waits for its value
    };
    struct Anchored {
        Node node;
        int size = 1;  // nodes in it
    };

    [[noreturn]] static void refuse(QString message, Place place)
    {
        throw Refused{yamlError(std::move(message), std::move(place))};
    }
    [[noreturn]] void refuseTag(const std::string &tag, const YAML::Mark &mark) const
    {
        refuse(QStringLiteral("the tag '%1' is not known here").arg(QString::fromStdString(tag)),
               place(mark));
    }

    // yaml-cpp takes what is not closed for a key.
    [[noreturn]] void refuseKey(const Place &start) const
    {
        if (!m_text.isUnclosed(start))
            refuse(QStringLiteral("a key must be plain text"), start);
        const bool isList = m_text.line(start.line - 1).sliced(start.column - 1).startsWith(u'[');
        throw Refused{yamlError(QStringLiteral("the '%1' that starts here is never closed")
                                    .arg(isList ? u"[" : u"{"),
                                start)
                          .withHint(QStringLiteral("Add the '%1'").arg(isList ? u"]" : u"}"))};
    }

    Place place(const YAML::Mark &mark) const { return m_text.place(mark.line, mark.column); }

    void count(int nodes, const YAML::Mark &mark)
    {
        m_count += nodes;
        if (m_count > kMaxNodes)
            refuse(
                QStringLiteral("the file has more than %1 nodes, aliases followed").arg(kMaxNodes),
                place(mark));
    }

    void open(Node::Kind kind, const char *ownTag, const YAML::Mark &mark, const std::string &tag,
              YAML::anchor_t anchor)
    {
        if (tag != "?" && tag != "!" && !tag.empty() && tag != ownTag)
            refuseTag(tag, mark);
        if (m_levels.size() >= size_t(kMaxDepth))
            refuse(QStringLiteral("lists and maps lie more than %1 levels deep").arg(kMaxDepth),
                   place(mark));
        if (!m_levels.empty() && m_levels.back().node.kind == Node::Kind::Map &&
            !m_levels.back().hasKey)
            refuseKey(place(mark));
        m_levels.push_back({.node = {.kind = kind, .place = place(mark), .text = {}},
                            .anchor = anchor,
                            .countBefore = m_count});
        count(1, mark);
    }

    void close()
    {
        Level level = std::move(m_levels.back());
        m_levels.pop_back();
        if (level.node.kind == Node::Kind::Map)
            merge(level.node);
        if (level.anchor != YAML::NullAnchor)
            m_anchors.insert(level.anchor, {level.node, m_count - level.countBefore});
        put(std::move(level.node));
    }

    void add(Node node, YAML::anchor_t anchor)
    {
        if (++m_count > kMaxNodes)
            refuse(QStringLiteral("the file has more than %1 nodes").arg(kMaxNodes), node.place);
        if (anchor != YAML::NullAnchor)
            m_anchors.insert(anchor, {node, 1});
        put(std::move(node));
    }

    void put(Node node)
    {
        if (m_levels.empty()) {
            m_root = std::move(node);
            return;
        }
        Level &level = m_levels.back();
        if (level.node.kind == Node::Kind::List) {
            level.node.items.push_back(std::move(node));
        } else if (level.hasKey) {
            level.node.entries.back().value = std::move(node);
            level.hasKey = false;
        } else {
            if (node.kind != Node::Kind::Scalar)
                refuse(QStringLiteral("a key must be plain text"), node.place);
            level.node.entries.push_back({.key = node.text, .place = node.place, .value = {}});
            level.hasKey = true;
        }
    }

    // The map's own keys win, then those of the first map that is merged in
    // (yaml.org/type/merge.html).
    static void merge(Node &map)
    {
        std::vector<Entry> own;
        std::vector<Node> sources;
        for (Entry &entry : map.entries) {
            if (entry.key != u"<<") {
                own.push_back(std::move(entry));
            } else if (entry.value.kind == Node::Kind::List) {
                std::ranges::move(entry.value.items, std::back_inserter(sources));
            } else {
                sources.push_back(std::move(entry.value));
            }
        }
        map.entries = std::move(own);
        for (Node &source : sources) {
            if (source.kind != Node::Kind::Map)
                refuse(QStringLiteral("'<<' merges maps, found %1").arg(source.kindName()),
                       source.place);
            for (Entry &entry : source.entries) {
                if (!map.find(entry.key))
                    map.entries.push_back(std::move(entry));
            }
        }
    }

    const SourceText &m_text;
    std::vector<Level> m_levels;
    QHash<YAML::anchor_t, Anchored> m_anchors;
    Node m_root;
    int m_count = 0;
};

// Only asks whether there is another document.
class Nothing final : public YAML::EventHandler {
public:
    explicit Nothing(const SourceText &text) : m_text(text) {}
    void OnDocumentStart(const YAML::Mark &mark) override
    {
        throw Refused{yamlError(QStringLiteral("a second document starts here, only one is read"),
                                m_text.place(mark.line, mark.column))
                          .withHint(u"Remove the '---', or keep the two in files of their own")};
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark &, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark &, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark &, const std::string &, YAML::anchor_t,
                  const std::string &) override
    {
    }
    void OnSequenceStart(const YAML::Mark &, const std::string &, YAML::anchor_t,
                         YAML::EmitterStyle::value) override
    {
    }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark &, const std::string &, YAML::anchor_t,
                    YAML::EmitterStyle::value) override
    {
    }
    void OnMapEnd() override {}

private:
    const SourceText &m_text;
};

// The first tab that indents the line where reading failed: what people stumble over most.
std::optional<Place> indentingTab(const SourceText &text, qsizetype line)
{
    const QString content = text.line(line);
    for (qsizetype column = 0; column < content.size() && content[column].isSpace(); ++column) {
        if (content[column] == u'\t')
            return text.place(line, column);
    }
    return std::nullopt;
}

struct KnownProblem {
    const char *said;  // by yaml-cpp
    QStringView message;
    QStringView hint;
};

constexpr KnownProblem kProblems[] = {
    {"illegal map value", u"a ':' is not expected here",
     u"Look at the indentation, and quote text that holds ': '"},
    {"end of map not found", u"this line does not continue the map above it",
     u"Look at the indentation"},
    {"end of sequence not found", u"this line does not continue the list above it",
     u"Look at the indentation"},
    {"illegal block entry", u"a '- ' is not expected here", u"Look at the indentation"},
    {"end of map flow not found", u"the '{' that starts here is never closed", u"Add the '}'"},
    {"end of sequence flow not found", u"the '[' that starts here is never closed", u"Add the ']'"},
    {"illegal flow end", u"nothing is open that could be closed here", u""},
    {"unknown token", u"text cannot start with this character", u"Put the text in quotes"},
    {"the referenced anchor is not defined",
     u"no anchor (&name) of this name stands before the alias", u""},
    {"bad file", u"lists and maps lie too deep", u""},
};

Error explain(const YAML::Exception &problem, const SourceText &text, const Builder &builder)
{
    if (const auto tab = indentingTab(text, problem.mark.line))
        return yamlError(QStringLiteral("the line is indented with a tab"), *tab)
            .withHint(u"Use spaces");
    const Place place = text.place(problem.mark.line, problem.mark.column);
    for (const auto &known : kProblems) {
        if (!problem.msg.starts_with(known.said))
            continue;
        const bool atOpening = known.message.contains(u"that starts here");
        return yamlError(known.message.toString(),
                         atOpening ? builder.openPlace().value_or(place) : place)
            .withHint(known.hint);
    }
    return yamlError(
        QStringLiteral("not readable as YAML: %1").arg(QString::fromStdString(problem.msg)), place);
}

}  // namespace

const Node *Node::find(QStringView key) const
{
    const auto found = std::ranges::find(entries, key, &Entry::key);
    return found == entries.end() ? nullptr : &found->value;
}

QString Node::kindName() const
{
    switch (kind) {
    case Kind::Null: return QStringLiteral("nothing");
    case Kind::Scalar: return QStringLiteral("text");
    case Kind::List: return QStringLiteral("a list");
    case Kind::Map: return QStringLiteral("a map");
    }
    Q_UNREACHABLE();
}

Place placeInText(const Node &scalar, const Place &inText)
{
    const Place &start = scalar.textPlace;
    if (scalar.textIndent < 0 || inText.line < 1)
        return start.line > 0 ? start : scalar.place;
    if (inText.line == 1)
        return {start.file, start.line, start.column + inText.column - 1};
    return {start.file, start.line + inText.line - 1, scalar.textIndent + inText.column};
}

Result<Node> parse(const QByteArray &bytes, const QString &file)
{
    IVM_TRY(const auto text, SourceText::read(bytes, file));
    Builder builder(text);
    try {
        std::istringstream stream(text.bytes().toStdString());
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder))
            return Node{.kind = Node::Kind::Null, .place = {file, 1, 1}, .text = {}};
        Nothing nothing(text);
        parser.HandleNextDocument(nothing);
        return builder.take();
    } catch (const Refused &refused) {
        return fail(refused.error);
    } catch (const YAML::Exception &problem) {
        return fail(explain(problem, text, builder));
    } catch (const std::exception &problem) {
        return fail(yamlError(
            QStringLiteral("not readable as YAML: %1").arg(QString::fromLocal8Bit(problem.what())),
            {file, 0, 0}));
    }
}

Result<Node> parseFile(const QString &path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return fail(notFoundError(QStringLiteral("there is no such file"))
                        .withCode(u"no_file")
                        .at({path, 0, 0}));
    if (info.isDir())
        return fail(unavailableError(QStringLiteral("this is a folder, expected a file"))
                        .withCode(u"not_a_file")
                        .at({path, 0, 0}));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(unavailableError(QStringLiteral("cannot be read: %1").arg(file.errorString()))
                        .withCode(u"not_readable")
                        .at({path, 0, 0}));
    // One byte more than is accepted, so that a longer file is seen and an endless one does not
    // fill the memory.
    return parse(file.read(kMaxBytes + 1), path);
}

}  // namespace ivm::yaml
