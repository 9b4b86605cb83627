// Answers to questions that are slow to answer and whose answers stay right. What several threads
// ask at once is asked once: the others wait for the first.
//
// Threads: any. Keys are few: they are compared one by one.
#pragma once

#include "framework/base/result.h"

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ivm {

template <typename Key, typename Value>
class Memo {
public:
    // What is kept at most; then all of it is forgotten.
    explicit Memo(std::size_t most = 1000) : m_most(most) {}

    // `ask` gives a Result<Value>; an error is not kept.
    template <typename Ask>
    Result<Value> get(const Key &key, Ask &&ask)
    {
        const std::shared_ptr<Answer> answer = answerTo(key);
        const std::lock_guard lock(answer->mutex);
        if (!answer->value) {
            IVM_TRY(answer->value, ask());
        }
        return *answer->value;
    }

    void forget()
    {
        const std::lock_guard lock(m_mutex);
        m_answers.clear();
    }

private:
    struct Answer {
        explicit Answer(Key asked) : key(std::move(asked)) {}

        const Key key;
        std::mutex mutex;
        std::optional<Value> value;
    };

    std::shared_ptr<Answer> answerTo(const Key &key)
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &known : m_answers) {
            if (known->key == key)
                return known;
        }
        if (m_answers.size() >= m_most)
            m_answers.clear();
        m_answers.push_back(std::make_shared<Answer>(key));
        return m_answers.back();
    }

    const std::size_t m_most;
    std::mutex m_mutex;
    std::vector<std::shared_ptr<Answer>> m_answers;
};

}  // namespace ivm
