#include "framework/base/nearest.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ivm {

namespace {

// Longer names are not looked at: the work grows with the product of the lengths.
constexpr qsizetype kLongestName = 64;

// Optimal string alignment distance.
int distance(QStringView a, QStringView b)
{
    const auto width = size_t(b.size() + 1);
    std::vector<std::vector<int>> cost(size_t(a.size() + 1), std::vector<int>(width));
    for (size_t i = 0; i < cost.size(); ++i)
        cost[i][0] = int(i);
    for (size_t j = 0; j < width; ++j)
        cost[0][j] = int(j);
    for (size_t i = 1; i < cost.size(); ++i) {
        for (size_t j = 1; j < width; ++j) {
            const bool same = a[qsizetype(i - 1)] == b[qsizetype(j - 1)];
            cost[i][j] = std::min(
                {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && a[qsizetype(i - 1)] == b[qsizetype(j - 2)] &&
                a[qsizetype(i - 2)] == b[qsizetype(j - 1)])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost.back().back();
}

}  // namespace

QString nearestName(QStringView name, const QStringList &known)
{
    const QString wanted = name.toString().toLower();
    if (wanted.size() > kLongestName)
        return {};
    // A third of the name may be wrong, and of a short one a single character.
    int best = std::max(1, int(wanted.size()) / 3) + 1;
    QString nearest;
    for (const QString &candidate : known) {
        const int edits =
            candidate.size() > kLongestName ? best : distance(wanted, candidate.toLower());
        if (edits < best) {
            best = edits;
            nearest = candidate;
        }
    }
    return nearest;
}

QString didYouMean(QStringView name, const QStringList &known)
{
    const QString nearest = nearestName(name, known);
    return nearest.isEmpty() ? QString() : QStringLiteral("Did you mean '%1'?").arg(nearest);
}

QString nearestHint(QStringView name, const QStringList &known)
{
    constexpr qsizetype kMostListed = 40;
    const QString question = didYouMean(name, known);
    if (!question.isEmpty() || known.isEmpty() || known.size() > kMostListed)
        return question;
    return QStringLiteral("Known here: ") + known.join(QStringLiteral(", "));
}

}  // namespace ivm
