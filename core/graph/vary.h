// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plimsoll::graph {

/// Row of Vary::polynomials, or kNoLaw: the number doesn't vary.
using Law = std::int32_t;
inline constexpr Law kNoLaw = -1;

/// "batch" or "sequence": what a step's numbers depend on.
struct Axis
{
    std::string name;
    std::int64_t size = 0;              ///< of the program that holds this
    std::vector<std::int64_t> recorded; ///< rising
    std::int64_t step = 1;              ///< step between sizes for which the laws hold

    /// Whether the laws hold for that size: from the smallest recorded size up, in steps.
    [[nodiscard]] bool has(std::int64_t other) const;
};

/// The sum over Vary::terms of coefficient times sizes to the exponents, divided by `denominator`.
struct Polynomial
{
    std::int64_t denominator = 1;
    std::vector<std::int64_t> coefficients; ///< one for each term
};

/// Of a tensor.
struct Geometry
{
    std::vector<Law> shape;
    std::vector<Law> strides;
    Law offset = kNoLaw;
};

/// A piece of Header::batch: a number if it has a law, else text.
struct BatchPiece
{
    std::string text;
    Law law = kNoLaw;
};

/// How a program's numbers follow from the sizes of its batch and sequence. See `vary` in
/// core/readers/plimsoll_graph/FORMAT.md; readers prove that it gives the program's own numbers.
struct Vary
{
    std::vector<Axis> axes;
    std::vector<std::vector<std::int64_t>> terms; ///< exponents, one for each axis
    std::vector<Polynomial> polynomials;
    std::vector<Law> storages; ///< bytes
    std::vector<Geometry> geometries;
    std::vector<std::int32_t> tensors; ///< rows of `geometries`, -1: doesn't vary
    std::vector<Law> flops;            ///< of ops
    std::vector<Law> bytesMoved;       ///< of ops
    std::vector<BatchPiece> batch;

    /// One for each axis.
    [[nodiscard]] std::vector<std::int64_t> sizes() const;
};

/// Evaluates a program's laws at one size of each axis; `vary` must outlive it.
class LawsAt
{
public:
    /// Exponents must not be negative; there is one size for each axis.
    LawsAt(const Vary& vary, std::span<const std::int64_t> sizes);

    /// The value; nothing if it isn't a whole number from 0 to 2^62, or if a term overflows 64
    /// bits.
    [[nodiscard]] std::optional<std::int64_t> operator()(Law law) const;

private:
    const Vary& m_vary;
    std::vector<std::int64_t> m_powers; ///< of the terms; -1: 2^62 or more
};

} // namespace plimsoll::graph
