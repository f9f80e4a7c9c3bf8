#include "rfbench/attention/heads.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace rfbench::attention {
namespace {

template <class Scalar>
std::string shape(const Heads<Scalar>& heads) {
    return std::to_string(heads.batch) + " x " + std::to_string(heads.heads) + " x " + std::to_string(heads.length) +
           " x " + std::to_string(heads.columns);
}

template <class Scalar>
void check_shapes(const Heads<Scalar>& queries, const Heads<Scalar>& keys, const Heads<Scalar>& values,
                  std::span<const unsigned char> kept, const Heads<Scalar>& out) {
    const std::initializer_list<std::pair<const char*, const Heads<Scalar>*>> all{
        {"queries", &queries}, {"keys", &keys}, {"values", &values}};
    for (const auto& [name, given] : all) {
        if (std::min({given->batch, given->heads, given->length, given->columns}) < 0)
            throw std::invalid_argument("attention: " + std::string(name) + " are " + shape(*given) +
                                        "; extents must not be negative");
        const Index needed = given->batch * given->heads * given->length * given->columns;
        if (static_cast<Index>(given->entries.size()) != needed)
            throw std::invalid_argument("attention: " + std::string(name) + " have " +
                                        std::to_string(given->entries.size()) + " entries; their shape " +
                                        shape(*given) + " needs " + std::to_string(needed));
        if (given == &out)
            throw std::invalid_argument("attention: the output is the " + std::string(name) +
                                        " themselves; it needs memory of its own");
    }
    const auto alike = [&](const Heads<Scalar>& other) {
        return other.batch == queries.batch && other.heads == queries.heads;
    };
    if (!alike(keys) || !alike(values))
        throw std::invalid_argument("attention: queries are " + shape(queries) + ", keys " + shape(keys) + ", values " +
                                    shape(values) + "; batch and heads must be the same");
    if (!kept.empty() && static_cast<Index>(kept.size()) != keys.batch * keys.length)
        throw std::invalid_argument("attention: the padding mask has " + std::to_string(kept.size()) +
                                    " entries, not " + std::to_string(keys.batch) + " x " +
                                    std::to_string(keys.length));
}

}  // namespace

template <class Scalar>
Outcome attend_heads(const Heads<Scalar>& queries, const Heads<Scalar>& keys, const Heads<Scalar>& values,
                     std::span<const unsigned char> kept, const Attend<Scalar>& attend, Heads<Scalar>& out) {
    check_shapes(queries, keys, values, kept, out);
    out = Heads<Scalar>(queries.batch, queries.heads, queries.length, values.columns);
    const Index count = queries.batch * queries.heads;
    // No exception may leave a parallel loop: each head keeps its own, and the first in their order is thrown.
    std::vector<std::string> failures(static_cast<std::size_t>(count));
    Index nonpositive = 0;
#pragma omp parallel for schedule(dynamic) proc_bind(spread) reduction(+ : nonpositive)
    for (Index which = 0; which < count; ++which) {
        const Index sequence = which / queries.heads, head = which % queries.heads;
        try {
            Inputs<Scalar> in{queries.head(sequence, head), keys.head(sequence, head), values.head(sequence, head)};
            if (!kept.empty())
                in.kept = kept.subspan(static_cast<std::size_t>(sequence * keys.length),
                                       static_cast<std::size_t>(keys.length));
            Rows<Scalar> rows;
            nonpositive += attend(in, head, rows).nonpositive;
            if (rows.rows() != out.length || rows.cols() != out.columns)
                throw std::invalid_argument("attention gave " + std::to_string(rows.rows()) + " x " +
                                            std::to_string(rows.cols()) + "; it must give " +
                                            std::to_string(out.length) + " x " + std::to_string(out.columns));
            out.head(sequence, head) = rows;
        } catch (const std::exception& error) {
            failures[static_cast<std::size_t>(which)] =
                "sequence " + std::to_string(sequence) + ", head " + std::to_string(head) + ": " + error.what();
        }
    }
    for (const std::string& failure : failures)
        if (!failure.empty()) throw std::invalid_argument(failure);
    return {nonpositive};
}

template Outcome attend_heads(const Heads<float>&, const Heads<float>&, const Heads<float>&,
                              std::span<const unsigned char>, const Attend<float>&, Heads<float>&);
template Outcome attend_heads(const Heads<double>&, const Heads<double>&, const Heads<double>&,
                              std::span<const unsigned char>, const Attend<double>&, Heads<double>&);

}  // namespace rfbench::attention
