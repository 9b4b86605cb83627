#include "framework/refresh/known_bookmark.h"

namespace ivm {

namespace {

Result<std::optional<Bookmark>> bookmarkOfTarget(RefreshServices &services, const View &view,
                                                 Session &session, const Call &call)
{
    const auto &target = view.spec.target;
    const auto info = session.tableInfo(target, call);
    if (!info && info.error().kind == ErrorKind::NotFound)
        return std::nullopt;
    if (!info)
        return fail(info.error());
    const auto text = info->headSummary.value(kBookmarkSummaryKey.toString());
    if (text.isEmpty())
        return std::nullopt;
    auto bookmark = Bookmark::fromJson(text.toUtf8(), target.text());
    if (!bookmark || bookmark->view != view.spec.name)
        return std::nullopt;
    IVM_TRY(const auto columns,
            targetColumns(services.detector, target, info->head, bookmark->outputs, call));
    if (!sameColumns(columns, bookmark->targetColumns))
        return std::nullopt;
    bookmark->targetHead = info->head;
    return std::optional(*std::move(bookmark));
}

}  // namespace

Result<std::optional<Bookmark>> knownBookmark(RefreshServices &services, const View &view,
                                              const std::function<Result<Session *>()> &session,
                                              const Call &call)
{
    IVM_TRY(auto bookmark, services.store.bookmark(view.spec.name));
    if (bookmark)
        return bookmark;
    IVM_TRY(Session * open, session());
    return bookmarkOfTarget(services, view, *open, call);
}

Result<QList<Column>> targetColumns(Detector &detector, const TableName &target,
                                    const TableHead &at, const QList<OutputColumn> &outputs,
                                    const Call &call)
{
    QStringList names;
    for (const auto &output : outputs)
        names.append(output.name);
    const ChangesRequest request{
        .table = target, .from = at, .to = at, .column = {}, .columns = names};
    IVM_TRY(const TableChanges changes, detector.changes(request, call));
    return changes.columns;
}

}  // namespace ivm
