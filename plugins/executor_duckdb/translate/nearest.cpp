#include "plugins/executor_duckdb/translate/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ivm::duckdb {

namespace {

// Longer names are not looked at: the work grows with the product of the lengths.
constexpr qsizetype kLongestName = 64;

// How many characters have to be put in, taken out or changed.
int edits(const QString &a, const QString &b)
{
    std::vector<int> row(size_t(b.size()) + 1);
    std::iota(row.begin(), row.end(), 0);
    for (qsizetype i = 0; i < a.size(); ++i) {
        int diagonal = row[0]++;
        for (size_t j = 1; j < row.size(); ++j) {
            const int changed = diagonal + (a[i] == b[qsizetype(j) - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

QString nearestHint(QStringView name, const QStringList &known)
{
    const QString wanted = name.toString().toLower();
    int best = std::max(1, int(wanted.size()) / 3) + 1;
    QString nearest;
    for (const QString &candidate : known) {
        if (wanted.size() > kLongestName || candidate.size() > kLongestName)
            continue;
        const int distance = edits(wanted, candidate.toLower());
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest.isEmpty() ? QString() : QStringLiteral("Did you mean '%1'?").arg(nearest);
}

}  // namespace ivm::duckdb
