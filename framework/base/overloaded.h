// One function for all alternatives of a variant: std::visit(Overloaded{[](A) …, [](B) …}, v).
#pragma once

namespace ivm {

template <typename... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

}  // namespace ivm
