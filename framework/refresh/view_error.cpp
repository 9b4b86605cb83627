#include "framework/refresh/view_error.h"

namespace ivm {

// An engine's error in terms of the view: the place in the views' file, as far as the line of the
// statement is the query's own.
Error ofView(const View &view, Error error, QStringView statement)
{
    const auto &spec = view.spec;
    const auto line = [&](QStringView text) {
        return text.split(u'\n').value(error.place.line - 1);
    };
    const bool isOfDefinition =
        error.kind == ErrorKind::Invalid || error.kind == ErrorKind::Unsupported;
    if (error.place.line < 1)
        error.place = isOfDefinition ? spec.queryPlace : Place{};
    else if (line(statement) == line(spec.query))
        error.place = spec.placeInFile(error.place.line, error.place.column);
    else
        error.place = spec.placeInFile(error.place.line, 1);
    return std::move(error).during(QStringLiteral("view '%1'").arg(spec.name));
}

// Whatever failed, it is of this view, and no longer than one reads.
Error forPeople(const View &view, Error error)
{
    constexpr qsizetype kLongest = 2'000;
    if (error.message.size() > kLongest)
        error.message = error.message.first(kLongest) + u'…';
    if (error.message.contains(QString(u'\'' + view.spec.name + u'\'')))
        return error;
    if (error.place.line < 1)
        error.place = view.spec.queryPlace;
    return std::move(error).during(QStringLiteral("view '%1'").arg(view.spec.name));
}

}  // namespace ivm
