#include "framework/view/view_spec.h"

#include <QCryptographicHash>

namespace ivm {

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
    add(QStringLiteral("1"));
    add(query.trimmed());
    add(target.text());
    for (const auto &key : keys)
        add(key);
    return QString::fromLatin1(hash.result().toHex());
}

}  // namespace ivm
