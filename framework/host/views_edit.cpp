#include "framework/host/views_edit.h"

#include "framework/yaml/yaml_writer.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm {

namespace {

const QString kViews = QStringLiteral("views");
const QString kName = QStringLiteral("name");
const QString kFile = QStringLiteral("views.yaml");
const QByteArray kMark = "\xEF\xBB\xBF";  // of byte order

QString trimmedEnd(QString text)
{
    while (!text.isEmpty() && text.back().isSpace())
        text.chop(1);
    return text;
}

// The lines of an entry, its dash at the column `indent`: the name first, the query as a block.
QString entryText(const QString &name, const QJsonObject &entry, qsizetype indent)
{
    yaml::Node map = yaml::mapNode({yaml::entryNode(kName, yaml::textNode(name))});
    for (auto field = entry.begin(); field != entry.end(); ++field) {
        if (field.key() == kName)
            continue;
        const bool isQuery = field.key() == QStringLiteral("query");
        map.entries.push_back(yaml::entryNode(
            field.key(), isQuery ? yaml::blockNode(trimmedEnd(field.value().toString()))
                                 : yaml::nodeOf(field.value())));
    }
    const int inside = int(indent) + 2;
    return QString(indent, u' ') + QStringLiteral("- ") + yaml::writeLines(map, inside) + u'\n';
}

bool sameValue(const yaml::Node &left, const yaml::Node &right)
{
    return left.kind == right.kind && left.text == right.text && left.quoted == right.quoted &&
           std::ranges::equal(left.items, right.items, sameValue) &&
           std::ranges::equal(left.entries, right.entries,
                              [](const yaml::Entry &a, const yaml::Entry &b) {
                                  return a.key == b.key && sameValue(a.value, b.value);
                              });
}

QString nameOf(const yaml::Node &entry)
{
    const auto *name = entry.kind == yaml::Node::Kind::Map ? entry.find(kName) : nullptr;
    return name ? name->text : QString();
}

// The text by lines, so that places in it are found by line. A line keeps the carriage return that
// it may end with, since a file may mix both ends; new lines end as the first one does.
class Lines {
public:
    explicit Lines(const QByteArray &bytes)
    {
        m_hasMark = bytes.startsWith(kMark);
        const QString text = QString::fromUtf8(bytes.sliced(m_hasMark ? kMark.size() : 0));
        m_lines = text.split(u'\n');
        if (m_lines.size() > 1 && m_lines.first().endsWith(u'\r'))
            m_return = QStringLiteral("\r");
        if (m_lines.last().isEmpty())
            m_lines.removeLast();
        else
            m_lines.last() += m_return;
    }

    qsizetype size() const { return m_lines.size(); }
    // The first line with a carriage return that does not end it; -1 where there is none.
    qsizetype loneReturn() const
    {
        const auto found = std::ranges::find_if(m_lines, [](const QString &line) {
            return line.chopped(line.endsWith(u'\r') ? 1 : 0).contains(u'\r');
        });
        return found == m_lines.end() ? -1 : found - m_lines.begin();
    }
    QString &operator[](qsizetype line) { return m_lines[line]; }
    const QString &operator[](qsizetype line) const { return m_lines[line]; }

    void replace(qsizetype first, qsizetype last, const QString &text)
    {
        m_lines.remove(first, last - first);
        const QStringList fresh = text.isEmpty() ? QStringList() : text.chopped(1).split(u'\n');
        for (qsizetype i = 0; i < fresh.size(); ++i)
            m_lines.insert(first + i, fresh[i] + m_return);
    }

    QByteArray bytes() const
    {
        const QByteArray text = QString(m_lines.join(u'\n') + u'\n').toUtf8();
        return m_hasMark ? QByteArray(kMark + text) : text;
    }

private:
    bool m_hasMark = false;
    QString m_return;
    QStringList m_lines;
};

qsizetype indentOf(const QString &line)
{
    const auto text = std::ranges::find_if(line, [](QChar c) { return c != u' '; });
    return text - line.begin();
}

bool isCommentUpTo(const QString &line, qsizetype column)
{
    const QString text = line.trimmed();
    return text.isEmpty() || (text.startsWith(u'#') && indentOf(line) <= column);
}

class Editor {
public:
    explicit Editor(const QByteArray &bytes) : m_bytes(bytes), m_lines(bytes) {}

    Result<QByteArray> put(const QString &name, const QJsonObject &entry)
    {
        IVM_CHECK(read());
        IVM_CHECK(isOnce(name));
        if (const auto found = indexOf(name)) {
            IVM_TRY(const Span span, spanOf(*found));
            m_lines.replace(span.first, span.last, entryText(name, entry, span.indent));
            return checked(*found, *found + 1, 1);
        }
        IVM_CHECK(append(name, entry));
        const auto count = qsizetype(m_items.size());
        return checked(count, count, 1);
    }

    Result<QByteArray> remove(const QString &name)
    {
        IVM_CHECK(read());
        IVM_CHECK(isOnce(name));
        const auto found = indexOf(name);
        if (!found)
            return fail(notFoundError(QStringLiteral("no view '%1' in the file").arg(name)));
        IVM_TRY(const Span span, spanOf(*found));
        m_lines.replace(span.first, span.last, {});
        return checked(*found, *found + 1, 0);
    }

private:
    // Lines [first, last) of an entry, and the column of its dash.
    struct Span {
        qsizetype first = 0;
        qsizetype last = 0;
        qsizetype indent = 0;
    };

    std::unexpected<Error> cannotEdit(const Place &place, const QString &why) const
    {
        return fail(unsupportedError(QStringLiteral("this file cannot be edited here: %1").arg(why))
                        .withCode(u"not_editable")
                        .withHint(u"Edit it by hand, or write the list as lines that begin with -")
                        .at(place));
    }

    Status read()
    {
        IVM_TRY(m_root, yaml::parse(m_bytes, kFile));
        // To YAML it ends a line, to the lines here it does not.
        const qsizetype alone = m_lines.loneReturn();
        if (alone >= 0)
            return cannotEdit({kFile, int(alone) + 1, 1},
                              QStringLiteral("a line ends with a carriage return alone"));
        if (m_root.kind == yaml::Node::Kind::Null)
            return {};
        if (m_root.kind != yaml::Node::Kind::Map)
            return cannotEdit(m_root.place, QStringLiteral("it holds no map"));
        const auto *views = m_root.find(kViews);
        if (!views || views->kind == yaml::Node::Kind::Null)
            return {};
        if (views->kind != yaml::Node::Kind::List)
            return cannotEdit(views->place, QStringLiteral("'views' is no list"));
        m_items = views->items;
        m_listPlace = views->place;
        return {};
    }

    Status isOnce(const QString &name) const
    {
        if (std::ranges::count(m_items, name, nameOf) < 2)
            return {};
        return fail(conflictError(QStringLiteral("the file has several views named '%1'").arg(name))
                        .withCode(u"same_name")
                        .withHint(u"Rename or remove all but one by hand"));
    }

    std::optional<qsizetype> indexOf(const QString &name) const
    {
        const auto found = std::ranges::find(m_items, name, nameOf);
        if (found == m_items.end())
            return {};
        return found - m_items.begin();
    }

    // The line with the dash of an entry.
    std::optional<Span> dashOf(qsizetype index) const
    {
        const Place place = m_items[size_t(index)].place;
        QString before = m_lines[place.line - 1].left(place.column - 1);
        for (qsizetype line = place.line - 1; line >= 0; before = m_lines[line]) {
            const QString text = before.trimmed();
            if (text == u"-")
                return Span{line, line, indentOf(before)};
            if (!text.isEmpty() && !text.startsWith(u'#'))
                return {};
            if (--line < 0)
                return {};
        }
        return {};
    }

    Result<Span> spanOf(qsizetype index) const
    {
        auto span = dashOf(index);
        if (!span)
            return cannotEdit(m_items[size_t(index)].place,
                              QStringLiteral("the entry does not begin with a dash of its own"));
        if (index + 1 < qsizetype(m_items.size())) {
            const auto next = dashOf(index + 1);
            if (!next)
                return cannotEdit(m_items[size_t(index + 1)].place,
                                  QStringLiteral("two entries share a line"));
            span->last = next->first;
        } else {
            span->last = endOfList();
        }
        // Comments before the next entry are its own.
        while (span->last > span->first + 1 && isCommentUpTo(m_lines[span->last - 1], span->indent))
            --span->last;
        return *span;
    }

    // The line of the key that follows the list, or the end of the file.
    qsizetype endOfList() const
    {
        const auto views = std::ranges::find(m_root.entries, kViews, &yaml::Entry::key);
        const auto next = std::next(views);
        return next == m_root.entries.end() ? m_lines.size() : next->place.line - 1;
    }

    Status append(const QString &name, const QJsonObject &entry)
    {
        if (!m_items.empty()) {
            IVM_TRY(const Span last, spanOf(qsizetype(m_items.size()) - 1));
            m_lines.replace(last.last, last.last, entryText(name, entry, last.indent));
            return {};
        }
        const auto key = std::ranges::find(m_root.entries, kViews, &yaml::Entry::key);
        if (key == m_root.entries.end()) {
            m_lines.replace(m_lines.size(), m_lines.size(),
                            QStringLiteral("views:\n") + entryText(name, entry, 2));
            return {};
        }
        // "views: []", "views:" or the like becomes "views:".
        static const QRegularExpression empty(
            QStringLiteral(R"(^(\s*views\s*:)[ \t]*(\[\s*\]|~|null)?)"));
        QString &line = m_lines[key->place.line - 1];
        line.replace(empty, QStringLiteral("\\1"));
        m_lines.replace(key->place.line, key->place.line, entryText(name, entry, 2));
        return {};
    }

    // The result, after a look at what it says: the entries in [first, last) became `fresh` others.
    Result<QByteArray> checked(qsizetype first, qsizetype last, qsizetype fresh) const
    {
        const QByteArray bytes = m_lines.bytes();
        const auto again = yaml::parse(bytes, kFile);
        const auto *views = again ? again->find(kViews) : nullptr;
        const auto items = views ? views->items : std::vector<yaml::Node>();
        const auto begin = m_items.begin();
        const auto tail = qsizetype(m_items.size()) - last;
        const bool same =
            again && qsizetype(items.size()) == first + fresh + tail &&
            std::equal(begin, begin + first, items.begin(), sameValue) &&
            std::equal(begin + last, m_items.end(), items.begin() + first + fresh, sameValue);
        if (!same)
            return cannotEdit(m_listPlace,
                              QStringLiteral("other entries depend on how this one is written"));
        return bytes;
    }

    const QByteArray &m_bytes;
    Lines m_lines;
    yaml::Node m_root;
    std::vector<yaml::Node> m_items;
    Place m_listPlace;
};

}  // namespace

Result<QByteArray> withEntry(const QByteArray &views, const QString &name, const QJsonObject &entry)
{
    return Editor(views).put(name, entry);
}

Result<QByteArray> withoutEntry(const QByteArray &views, const QString &name)
{
    return Editor(views).remove(name);
}

}  // namespace ivm
