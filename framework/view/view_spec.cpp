#include "framework/view/view_spec.h"

#include "framework/sql/lexer.h"

#include <QCryptographicHash>
#include <QHash>

#include <mutex>

namespace ivm {

namespace {

// Its words and signs, one space between two; spacing, comments and the letter case of what is not
// quoted say nothing. A text that is no SQL stands for itself.
QString wordsOf(const QString &query)
{
    const auto tokens = sql::tokenize(query);
    if (!tokens)
        return query.trimmed();
    QString out;
    for (const auto &token : *tokens) {
        const QString text = token.span.of(query).toString();
        out += token.kind == sql::TokenKind::Word ? text.toLower() : text;
        out += u' ';
    }
    return out;
}

// A host asks for the hash of every view at every look, and queries stay what they are.
QString rememberedWordsOf(const QString &query)
{
    constexpr qsizetype kMost = 20'000;
    static std::mutex mutex;
    static QHash<QString, QString> known;
    const std::scoped_lock lock(mutex);
    if (const auto found = known.constFind(query); found != known.cend())
        return *found;
    if (known.size() >= kMost)
        known.clear();
    return *known.insert(query, wordsOf(query));
}

}  // namespace

Place ViewSpec::placeInFile(int line, int column) const
{
    if (queryIndent < 0 || line < 1)
        return queryPlace;
    if (line == 1)
        return {queryPlace.file, queryPlace.line, queryPlace.column + column - 1};
    return {queryPlace.file, queryPlace.line + line - 1, queryIndent + column};
}

Place ViewSpec::placeInQuery(const Place &inFile) const
{
    const int line = inFile.line - queryPlace.line + 1;
    if (queryIndent < 0 || queryPlace.line < 1 || line < 1 || line > query.count(u'\n') + 1)
        return {};
    const int column = inFile.column - (line == 1 ? queryPlace.column - 1 : queryIndent);
    return column < 1 ? Place{} : Place{{}, line, column};
}

QString ViewSpec::definitionHash() const
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    // A length before each part, so that no two different lists give the same bytes.
    const auto add = [&](const QString &part) {
        const QByteArray bytes = part.toUtf8();
        hash.addData(QByteArray(QByteArray::number(bytes.size()) + ':'));
        hash.addData(bytes);
    };
    add(QStringLiteral("2"));
    add(rememberedWordsOf(query));
    add(target.text());
    for (const auto &key : keys)
        add(key);
    return QString::fromLatin1(hash.result().toHex());
}

}  // namespace ivm
