// The queries and keys of a head as points: x is a query, y a key.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rfbench/text/counted.hpp"
#include "sources/heads.hpp"
#include "sources/point_sets.hpp"

namespace rfbench::experiments {
namespace {

/// Both sets are of one sequence, as attention compares them.
class HeadPoints final : public PointSource {
public:
    HeadPoints(std::shared_ptr<const HeadSource> source, Index layer, Index head, double scale)
        : source_(std::move(source)), layer_(layer), head_(head), scale_(scale) {}

    Index dimension() const override { return source_->dimension(); }
    std::string data_hash() const override { return source_->data_hash(); }
    std::vector<std::string> notes() const override {
        std::vector<std::string> all = source_->notes();
        if (!source_->endless())
            all.push_back(fmt::format("points of heads are those of one of {} at a time, which repeats may take again",
                                      counted(static_cast<std::size_t>(source_->sequences()), "sequence")));
        return all;
    }
    PointSets draw(const Stream& stream, Index rows) const override {
        const auto number = stream.child("sequence").below(static_cast<std::uint64_t>(source_->sequences()));
        const dof::Sequence tokens = source_->sequence(layer_, head_, static_cast<Index>(number)).tokens;
        const Index count = std::min({rows, tokens.queries.rows(), tokens.keys.rows()});
        // Two shuffles: row i of x and row i of y are not the query and the key of one token.
        return {scale_ * random_rows(tokens.queries, count, stream.child("x")),
                scale_ * random_rows(tokens.keys, count, stream.child("y"))};
    }

private:
    std::shared_ptr<const HeadSource> source_;
    Index layer_, head_;
    double scale_;
};

/// Index from 0 that an entry's key numbers from 1.
Index number_of(const config::Value& entry, const char* key, Index there_are) {
    const Index number = whole(entry, key);
    if (number > there_are) entry.at(key).refuse(fmt::format("the source has {} {}s", there_are, key));
    return number - 1;
}

}  // namespace

std::vector<config::KeyRule> head_point_keys() {
    using namespace config;
    return {
        required("heads", head_source_schema(), "where queries and keys come from"),
        defaulted("layer", integer(1, 10'000), "1", "numbered from 1"),
        defaulted("head", integer(1, 10'000), "1", "of the layer, numbered from 1"),
        defaulted("unit", one_of({"softmax", "own"}), "softmax",
                  "softmax: queries and keys over d^(1/4), whose Gaussian kernel is that of softmax attention; own: as "
                  "they are"),
    };
}

PointSourcePtr head_points(const config::Value& entry, const Stream& study) {
    const auto source = head_source(entry.at("heads"), head_streams(study.child("heads")));
    const bool softmax = entry.at("unit").text() == "softmax";
    // exp(q.k / sqrt d) = exp(x.y), x = q d^(-1/4), y = k d^(-1/4): K(x, y) but for factors of x and of y alone.
    const double scale = softmax ? std::pow(static_cast<double>(source->dimension()), -0.25) : 1;
    return std::make_shared<HeadPoints>(source, number_of(entry, "layer", source->layers()),
                                        number_of(entry, "head", source->heads()), scale);
}

}  // namespace rfbench::experiments
