#include "framework/sql/equal.h"

#include <algorithm>
#include <type_traits>

namespace ivm::sql {

namespace {

// One overload a shape of data; nodes are compared by their fields(), which name everything but
// spans.
bool same(const Identifier &a, const Identifier &b) { return sameName(a, b); }

template <typename T>
bool same(const T &a, const T &b);
template <typename T>
bool same(const std::shared_ptr<const T> &a, const std::shared_ptr<const T> &b);
template <typename T>
bool same(const std::vector<T> &a, const std::vector<T> &b);
template <typename T>
bool same(const std::optional<T> &a, const std::optional<T> &b);
template <typename... T>
bool same(const std::variant<T...> &a, const std::variant<T...> &b);

template <typename... T, size_t... I>
bool sameTuple(const std::tuple<T...> &a, const std::tuple<T...> &b, std::index_sequence<I...>)
{
    return (same(std::get<I>(a), std::get<I>(b)) && ...);
}

template <typename T>
bool same(const T &a, const T &b)
{
    if constexpr (requires { a.fields(); }) {
        const auto fields = a.fields();
        return sameTuple(fields, b.fields(),
                         std::make_index_sequence<std::tuple_size_v<decltype(fields)>>());
    } else {
        return a == b;
    }
}

template <typename T>
bool same(const std::shared_ptr<const T> &a, const std::shared_ptr<const T> &b)
{
    return a == b || (a && b && same(*a, *b));
}

template <typename T>
bool same(const std::vector<T> &a, const std::vector<T> &b)
{
    return std::ranges::equal(a, b, [](const T &x, const T &y) { return same(x, y); });
}

template <typename T>
bool same(const std::optional<T> &a, const std::optional<T> &b)
{
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

template <typename... T>
bool same(const std::variant<T...> &a, const std::variant<T...> &b)
{
    if (a.index() != b.index())
        return false;
    return std::visit(
        [&b]<typename One>(const One &one) {
            if constexpr (std::is_same_v<One, std::monostate>)
                return true;
            else
                return same(one, std::get<One>(b));
        },
        a);
}

}  // namespace

bool sameName(QStringView a, QStringView b) { return a.compare(b, Qt::CaseInsensitive) == 0; }

bool equal(const ExprPtr &a, const ExprPtr &b) { return same(a, b); }
bool equal(const Query &a, const Query &b) { return same(a, b); }
bool equal(const RelationPtr &a, const RelationPtr &b) { return same(a, b); }
bool equal(const TypePtr &a, const TypePtr &b) { return same(a, b); }
bool equal(const QualifiedName &a, const QualifiedName &b) { return same(a, b); }
bool equal(const Statement &a, const Statement &b) { return same(a, b); }

}  // namespace ivm::sql
