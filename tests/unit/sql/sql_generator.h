// Random SQL from a seed: valid texts of every part of the grammar, and texts that are nearly
// valid.
//
// Not thread-safe; the same seed gives the same texts.
#pragma once

#include <QString>
#include <QStringList>

#include <random>

namespace ivm::test {

class SqlGenerator {
public:
    explicit SqlGenerator(quint32 seed) : m_random(seed) {}

    QString expression();
    QString query();
    QString statement();
    // The text with a few of its tokens lost, doubled, swapped or replaced.
    QString mutated(const QString &text);
    // Tokens without any grammar.
    QString tokens();
    // Any UTF-16 units: halves of surrogate pairs and NULs too.
    QString units();

private:
    class Level;

    int below(qsizetype bound)
    {
        return static_cast<int>(m_random() % static_cast<quint32>(bound));
    }
    bool chance(int of) { return below(of) == 0; }
    // One of the templates, each %x in it filled in: %e expression, %v value, %n name, %q qualified
    // name, %t type, %s query, %k query without WITH, %r relation, %o sort item, %g grouping set,
    // %l literal.
    QString filled(const QStringList &templates);
    QString part(QChar kind);

    std::mt19937 m_random;
    int m_depth = 0;
};

}  // namespace ivm::test
