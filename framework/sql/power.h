// How tightly Trino's operators bind, for the parser and the printer alike.
#pragma once

// The looser the smaller.
namespace ivm::sql::power {

inline constexpr int kNone = 0;
inline constexpr int kOr = 1;
inline constexpr int kAnd = 2;
inline constexpr int kNot = 3;
inline constexpr int kPredicate = 4;  // comparison, BETWEEN, IN, LIKE, IS: they do not chain
inline constexpr int kConcat = 5;
inline constexpr int kAdd = 6;
inline constexpr int kMultiply = 7;
inline constexpr int kUnary = 8;
inline constexpr int kAtTimeZone = 9;  // read as a part of its primary
inline constexpr int kPrimary = 10;

}  // namespace ivm::sql::power
