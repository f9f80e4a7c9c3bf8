#include "rfbench/attention/heads.hpp"

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rfbench/errors.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {

template <class Scalar>
Heads<Scalar>::Heads(Index b, Index h, Index l, Index c)
    : batch(b), heads(h), length(l), columns(c), entries(static_cast<std::size_t>(size())) {}

template <class Scalar>
std::string Heads<Scalar>::shape() const {
    return std::to_string(batch) + " x " + std::to_string(heads) + " x " + std::to_string(length) + " x " +
           std::to_string(columns);
}

template <class Scalar>
Index Heads<Scalar>::size() const {
    if (std::min({batch, heads, length, columns}) < 0)
        throw std::invalid_argument("attention: heads are " + shape() + "; extents must not be negative");
    Index product = 1;
    for (const Index extent : {batch, heads, length, columns})
        if (extent > 0 && __builtin_mul_overflow(product, extent, &product))
            throw std::invalid_argument("attention: heads are " + shape() + "; no memory has as many entries");
    return std::min({batch, heads, length, columns}) == 0 ? 0 : product;
}

namespace {

/// Throws what a head threw, of its kind, with the place in front of what it says.
[[noreturn]] void rethrow_with(const std::string& where) {
    try {
        throw;
    } catch (const NotFinite& error) {
        throw NotFinite(where + error.what());
    } catch (const InputError& error) {
        throw InputError(where + error.what());
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(where + error.what());
    }
}

template <class Scalar>
void check_shapes(const Heads<Scalar>& queries, const Heads<Scalar>& keys, const Heads<Scalar>& values,
                  std::span<const unsigned char> kept, const Heads<Scalar>& out) {
    const std::initializer_list<std::pair<const char*, const Heads<Scalar>*>> all{
        {"queries", &queries}, {"keys", &keys}, {"values", &values}};
    for (const auto& [name, given] : all) {
        const Index needed = given->size();
        if (static_cast<Index>(given->entries.size()) != needed)
            throw std::invalid_argument("attention: " + std::string(name) + " have " +
                                        std::to_string(given->entries.size()) + " entries; their shape " +
                                        given->shape() + " needs " + std::to_string(needed));
        if (given == &out)
            throw std::invalid_argument("attention: the output is the " + std::string(name) +
                                        " themselves; it needs memory of its own");
    }
    const auto alike = [&](const Heads<Scalar>& other) {
        return other.batch == queries.batch && other.heads == queries.heads;
    };
    if (!alike(keys) || !alike(values))
        throw std::invalid_argument("attention: queries are " + queries.shape() + ", keys " + keys.shape() +
                                    ", values " + values.shape() + "; batch and heads must be the same");
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
    const Index nonpositive = parallel::Loop(count, parallel::Share::in_order).run([&](Index which) {
        const Index sequence = which / queries.heads, head = which % queries.heads;
        try {
            Inputs<Scalar> in{queries.head(sequence, head), keys.head(sequence, head), values.head(sequence, head)};
            if (!kept.empty())
                in.kept = kept.subspan(static_cast<std::size_t>(sequence * keys.length),
                                       static_cast<std::size_t>(keys.length));
            Rows<Scalar> rows;
            const Outcome outcome = attend(in, head, rows);
            if (rows.rows() != out.length || rows.cols() != out.columns)
                throw std::invalid_argument("attention gave " + std::to_string(rows.rows()) + " x " +
                                            std::to_string(rows.cols()) + "; it must give " +
                                            std::to_string(out.length) + " x " + std::to_string(out.columns));
            out.head(sequence, head) = rows;
            return outcome.nonpositive;
        } catch (const std::invalid_argument&) {
            rethrow_with("sequence " + std::to_string(sequence) + ", head " + std::to_string(head) + ": ");
        }
    });
    return {nonpositive};
}

template struct Heads<float>;
template struct Heads<double>;
template Outcome attend_heads(const Heads<float>&, const Heads<float>&, const Heads<float>&,
                              std::span<const unsigned char>, const Attend<float>&, Heads<float>&);
template Outcome attend_heads(const Heads<double>&, const Heads<double>&, const Heads<double>&,
                              std::span<const unsigned char>, const Attend<double>&, Heads<double>&);

}  // namespace rfbench::attention
