#include "rfbench/attention/decoding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rfbench/attention/parts.hpp"
#include "rfbench/features/maps/exponentials.hpp"
#include "rfbench/parallel/loop.hpp"

namespace rfbench::attention {
namespace {

using features::FeatureBlock;
using features::FeatureMap;
using features::Side;

template <class Scalar>
class ExactDecoder final : public Decoder<Scalar> {
public:
    ExactDecoder(Index dimension, Index value_columns) : dimension_(dimension), value_columns_(value_columns) {
        if (dimension < 1 || value_columns < 1)
            throw std::invalid_argument("decoding: keys of " + std::to_string(dimension) + " and values of " +
                                        std::to_string(value_columns) + " columns; both need at least 1");
    }

    void remember(const RowsView<Scalar>& keys, const RowsView<Scalar>& values) override {
        check_finite<Scalar>("decoding: keys have", keys);
        check_finite<Scalar>("decoding: values have", values);
        if (keys.cols() != dimension_ || values.cols() != value_columns_ || keys.rows() != values.rows())
            throw std::invalid_argument("decoding: keys are " + shape(keys) + " and values " + shape(values) +
                                        "; they must have " + std::to_string(dimension_) + " and " +
                                        std::to_string(value_columns_) + " columns and as many rows");
        max_key_ = std::max(max_key_, max_magnitude(keys));
        for (Index done = 0; done < keys.rows();) {
            const Index within = count_ % block_rows;
            if (within == 0) blocks_.push_back(Block(dimension_, value_columns_));
            const Index n = std::min(block_rows - within, keys.rows() - done);
            blocks_.back().keys.middleCols(within, n) = keys.middleRows(done, n).transpose();
            blocks_.back().values.middleRows(within, n) = values.middleRows(done, n);
            count_ += n;
            done += n;
        }
    }

    Outcome step(const RowsView<Scalar>& query, const RowsView<Scalar>& key, const RowsView<Scalar>& value,
                 Rows<Scalar>& out) override {
        check<Scalar>({query, key, value}, Visible::causal, out);
        if (query.rows() != 1) throw std::invalid_argument("decoding: a step takes one token, not " + shape(query));
        check_scores<Scalar>(query.cols(), query.cwiseAbs().maxCoeff(), std::max(max_key_, key.cwiseAbs().maxCoeff()));
        remember(key, value);
        const Column<Scalar> scaled =
            query.row(0).transpose() * static_cast<Scalar>(1 / std::sqrt(static_cast<double>(dimension_)));

        // Each block by itself; then all relative to the highest score, in their order.
        const Index blocks = static_cast<Index>(blocks_.size());
        const int threads = parallel::threads_if(blocks >= blocks_worth_threads);
        parallel::Loop(blocks, parallel::Share::evenly, threads).run([&](Index b) {
            blocks_[static_cast<std::size_t>(b)].attend(scaled, std::min(block_rows, count_ - b * block_rows));
        });
        Scalar high = -std::numeric_limits<Scalar>::infinity();
        for (const Block& block : blocks_) high = std::max(high, block.high);
        Scalar weights = 0;
        out.setZero(1, value_columns_);
        for (const Block& block : blocks_) {
            const Scalar shrink = std::exp(block.high - high);
            weights += shrink * block.weight;
            out.row(0) += shrink * block.sum.transpose();
        }
        out /= weights;
        return {};
    }

    std::size_t bytes() const override {
        return static_cast<std::size_t>(count_ * (dimension_ + value_columns_)) * sizeof(Scalar);
    }

private:
    // block_rows: the keys and values of a block stay in the second-level cache between its scores and its sums.
    // blocks_worth_threads: to wake the threads takes as long as a few blocks.
    static constexpr Index block_rows = 512, blocks_worth_threads = 8;

    struct Block {
        Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> keys;  // d x block_rows: scores of
                                                                                      // neighbours in one register
        Rows<Scalar> values;
        Column<Scalar> scores, sum;
        Scalar high = 0, weight = 0;

        Block(Index dimension, Index value_columns)
            : keys(dimension, block_rows), values(block_rows, value_columns), scores(block_rows), sum(value_columns) {}

        /// sum = sum_j exp(s_j - high) v_j, weight = sum_j exp(s_j - high), over the first n tokens.
        void attend(const Column<Scalar>& query, Index n) {
            auto own = scores.head(n);
            own.noalias() = keys.leftCols(n).transpose() * query;
            high = own.maxCoeff();
            weight = features::sum_exponentiated(own.array(), high);
            sum.noalias() = values.topRows(n).transpose() * own;
        }
    };

    static std::string shape(const RowsView<Scalar>& rows) {
        return std::to_string(rows.rows()) + " x " + std::to_string(rows.cols());
    }

    Index dimension_, value_columns_, count_ = 0;
    Scalar max_key_ = 0;
    std::vector<Block> blocks_;
};

template <class Scalar>
class LinearDecoder final : public Decoder<Scalar> {
public:
    LinearDecoder(std::shared_ptr<const FeatureMap> map, Index value_columns, const LinearForm& form)
        : map_(std::move(map)), form_(form), sums_(checked_columns(map_.get(), value_columns), value_columns) {}

    void remember(const RowsView<Scalar>& keys, const RowsView<Scalar>& values) override {
        check<Scalar>({keys, keys, values}, Visible::causal);
        check_width(values);
        // All rows before the first of them is remembered.
        check_entries<Scalar>(*map_, {keys, keys, values});
        constexpr Index tile = 120;
        for (Index first = 0; first < keys.rows(); first += tile) {
            const Index n = std::min(tile, keys.rows() - first);
            const auto own = keys.middleRows(first, n);
            placed({own, own, values.middleRows(first, n)}, [&](const Inputs<Scalar>& in) { add(in); });
        }
    }

    Outcome step(const RowsView<Scalar>& query, const RowsView<Scalar>& key, const RowsView<Scalar>& value,
                 Rows<Scalar>& out) override {
        const Inputs<Scalar> given{query, key, value};
        check(given, Visible::causal, out);
        check_width(value);
        if (query.rows() != 1)
            throw std::invalid_argument("decoding: a step takes one token, not " + std::to_string(query.rows()));
        // A query that is refused leaves no key behind.
        placed(given, [&](const Inputs<Scalar>& in) {
            map_->evaluate(Side::query, in.queries, query_);
            add(in);
        });
        out.resize(1, value.cols());
        out.noalias() = query_.values * sums_.numerators();
        return normalise<Scalar>(form_.norm, query_.values * sums_.denominators(), out, 0);
    }

    std::size_t bytes() const override {
        return static_cast<std::size_t>(sums_.numerators().size() + sums_.denominators().size()) * sizeof(Scalar) +
               sizeof(sums_.exponent());
    }

private:
    static Index checked_columns(const FeatureMap* map, Index value_columns) {
        if (!map) throw std::invalid_argument("decoding: there is no feature map");
        if (value_columns < 1)
            throw std::invalid_argument("decoding: values of " + std::to_string(value_columns) +
                                        " columns; at least 1 is needed");
        return map->columns();
    }

    void check_width(const RowsView<Scalar>& values) const {
        if (values.cols() != sums_.numerators().cols())
            throw std::invalid_argument("decoding: values have " + std::to_string(values.cols()) +
                                        " columns; those remembered have " + std::to_string(sums_.numerators().cols()));
    }

    /// use(in), queries and keys having their positions after them where the form asks for these.
    template <class Use>
    void placed(const Inputs<Scalar>& in, Use use) {
        if (form_.positions)
            use(WithPositions<Scalar>(in, count_).inputs());
        else
            use(in);
        count_ += in.keys.rows();
    }

    void add(const Inputs<Scalar>& in) {
        check_entries(*map_, in);
        map_->evaluate(Side::key, in.keys, features_);
        weights_.assign(features_, in, 0);
        sums_.add_keys(features_, weights_, in, 0);
    }

    std::shared_ptr<const FeatureMap> map_;
    LinearForm form_;
    Index count_ = 0;
    FeatureSums<Scalar> sums_;
    FeatureBlock<Scalar> features_, query_;
    KeyWeights<Scalar> weights_;
};

}  // namespace

template <class Scalar>
std::unique_ptr<Decoder<Scalar>> exact_decoder(Index dimension, Index value_columns) {
    return std::make_unique<ExactDecoder<Scalar>>(dimension, value_columns);
}

template <class Scalar>
std::unique_ptr<Decoder<Scalar>> linear_decoder(std::shared_ptr<const FeatureMap> map, Index value_columns,
                                                const LinearForm& form) {
    return std::make_unique<LinearDecoder<Scalar>>(std::move(map), value_columns, form);
}

template std::unique_ptr<Decoder<float>> exact_decoder(Index, Index);
template std::unique_ptr<Decoder<double>> exact_decoder(Index, Index);
template std::unique_ptr<Decoder<float>> linear_decoder(std::shared_ptr<const FeatureMap>, Index, const LinearForm&);
template std::unique_ptr<Decoder<double>> linear_decoder(std::shared_ptr<const FeatureMap>, Index, const LinearForm&);

}  // namespace rfbench::attention
