// Makes inputs from seeds, the same ones from the same number.
//
// One thread.
#pragma once

#include <QByteArray>
#include <QList>

#include <random>

namespace ivm::fuzz {

class Mutator {
public:
    Mutator(QList<QByteArray> seeds, QList<QByteArray> words, quint32 number)
        : m_seeds(std::move(seeds)), m_words(std::move(words)), m_random(number)
    {
    }

    // A seed with one to five changes.
    QByteArray next()
    {
        QByteArray bytes = oneOf(m_seeds);
        for (int left = 1 + pick(5); left > 0; --left)
            change(bytes);
        return bytes.left(kMost);
    }

private:
    static constexpr qsizetype kMost = 64 * 1024;

    int pick(qsizetype below) { return below < 2 ? 0 : int(m_random() % quint32(below)); }
    QByteArray oneOf(const QList<QByteArray> &list)
    {
        return list.isEmpty() ? QByteArray() : list[pick(list.size())];
    }

    void change(QByteArray &bytes)
    {
        const int at = pick(bytes.size() + 1);
        const int length = pick(std::min<qsizetype>(bytes.size() - at, 40) + 1);
        switch (pick(8)) {
        case 0: bytes.remove(at, length); return;
        case 1: bytes.insert(at, bytes.mid(at, length)); return;
        case 2: bytes.insert(at, oneOf(m_words)); return;
        case 3: bytes.replace(at, length, oneOf(m_words)); return;
        case 4: bytes.insert(at, char(pick(256))); return;
        case 5: flip(bytes, at); return;
        case 6: splice(bytes, at, length); return;
        case 7: bytes.insert(pick(bytes.size() + 1), bytes.mid(at, length)); return;
        }
    }

    void flip(QByteArray &bytes, int at)
    {
        if (at < bytes.size())
            bytes[at] = char(bytes[at] ^ (1 << pick(8)));
    }

    // A piece of another seed in the place of one.
    void splice(QByteArray &bytes, int at, int length)
    {
        const QByteArray other = oneOf(m_seeds);
        const int from = pick(other.size() + 1);
        bytes.replace(at, length, other.mid(from, pick(60)));
    }

    QList<QByteArray> m_seeds;
    QList<QByteArray> m_words;
    std::mt19937 m_random;
};

}  // namespace ivm::fuzz
