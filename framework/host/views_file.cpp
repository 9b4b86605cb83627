#include "framework/host/views_file.h"

#include "framework/yaml/fields.h"

namespace ivm {

ViewsFile readViews(const yaml::Node &root, const TableName &defaults)
{
    ViewsFile out;
    Fields top(root, {}, out.problems);
    if (root.kind == yaml::Node::Kind::Null)
        return out;
    if (root.kind != yaml::Node::Kind::Map) {
        top.report(QStringLiteral("the file holds %1, expected a map with the key 'views'")
                       .arg(root.kindName()),
                   root.place);
        return out;
    }
    const yaml::Node *list = top.list(QStringLiteral("views"));
    // Like elsewhere: a key that starts with x- holds what other entries repeat by aliases.
    for (const auto &entry : root.entries) {
        if (entry.key.startsWith(u"x-"))
            (void)top.node(entry.key);
    }
    top.finish();
    if (!list)
        return out;
    for (const auto &node : list->items)
        out.views.append(
            readViewEntry(node, QStringLiteral("#%1").arg(out.views.size() + 1), defaults));
    return out;
}

ViewsFile readViewsFile(const QString &path, const TableName &defaults)
{
    auto root = yaml::parseFile(path);
    if (root)
        return readViews(*root, defaults);
    auto error = std::move(root).error();
    if (error.kind == ErrorKind::NotFound)
        error = std::move(error).withHint(
            u"Write the views into it, or name another file with --views");
    ViewsFile out;
    out.problems.append(std::move(error));
    return out;
}

}  // namespace ivm
