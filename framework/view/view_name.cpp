#include "framework/view/view_name.h"

#include <QRegularExpression>

namespace ivm {

bool isViewName(const QString &name)
{
    static const QRegularExpression form(QStringLiteral("\\A[A-Za-z_][A-Za-z0-9_]*\\z"));
    return form.match(name).hasMatch();
}

}  // namespace ivm
