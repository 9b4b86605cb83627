#include "framework/base/location.h"

namespace ivm {

Result<QString> localPath(QStringView location)
{
    if (location.startsWith(u'/'))
        return location.toString();
    const auto colon = location.indexOf(u':');
    const auto scheme = location.left(colon < 0 ? 0 : colon);
    if (scheme.compare(u"file", Qt::CaseInsensitive) == 0) {
        QStringView path = location.sliced(colon + 1);
        // file:///x has an empty host, file:/x none.
        if (path.startsWith(u"///"))
            path = path.sliced(2);
        if (path.startsWith(u'/') && !path.startsWith(u"//"))
            return path.toString();
    }
    return fail(unsupportedError(
        scheme.isEmpty() || scheme.compare(u"file", Qt::CaseInsensitive) == 0
            ? QStringLiteral("'%1' is not the location of a local file").arg(location)
            : QStringLiteral("files under '%1:' are not supported, only 'file:' (%2)")
                  .arg(scheme, location)));
}

QString fileUri(const QString &path) { return QStringLiteral("file://") + path; }

}  // namespace ivm
