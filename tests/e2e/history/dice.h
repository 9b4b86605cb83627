// Random choices that follow from a seed alone, the same with every library.
#pragma once

#include <QList>
#include <QString>

#include <random>

namespace ivm::test {

class Dice {
public:
    explicit Dice(quint32 seed) : m_random(seed) {}

    // 0 … most - 1. Not a distribution of the library: those differ from one library to the next.
    int pick(int most) { return int(m_random() % quint32(most)); }
    bool oneIn(int many) { return pick(many) == 0; }
    template <typename T>
    const T &of(const QList<T> &list)
    {
        return list.at(pick(int(list.size())));
    }

private:
    std::mt19937 m_random;
};

}  // namespace ivm::test
