#include "sources/stored_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "rfbench/report/slice.hpp"
#include "rfbench/store/sha256.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::experiments {
namespace {

using networks::TransformerShape;

constexpr const char* shapes_attribute = "networks";
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Adds an axis of numbers from 0 unless it is there.
void add_axis(store::Dataset& data, const std::string& name, Index size, const std::string& description) {
    for (const store::Axis& axis : data.axes)
        if (axis.name == name) return;
    std::vector<double> labels;
    for (Index i = 0; i < size; ++i) labels.push_back(static_cast<double>(i));
    data.axes.push_back({name, labels, "", description});
}

nlohmann::json json_of(const TransformerShape& shape) {
    return {{"vocabulary", shape.vocabulary},
            {"inputs", shape.inputs},
            {"positions", shape.positions},
            {"class_token", shape.class_token},
            {"convolution", shape.convolution},
            {"layers", shape.layers},
            {"heads", shape.heads},
            {"width", shape.width},
            {"inner", shape.inner},
            {"causal", shape.visible == attention::Visible::causal},
            {"read_out", static_cast<int>(shape.read_out)},
            {"outputs", shape.outputs}};
}

TransformerShape shape_of(const nlohmann::json& json) {
    TransformerShape shape;
    shape.vocabulary = json.at("vocabulary");
    shape.inputs = json.at("inputs");
    shape.positions = json.at("positions");
    shape.class_token = json.at("class_token");
    shape.convolution = json.at("convolution");
    shape.layers = json.at("layers");
    shape.heads = json.at("heads");
    shape.width = json.at("width");
    shape.inner = json.at("inner");
    shape.visible = json.at("causal").get<bool>() ? attention::Visible::causal : attention::Visible::all;
    shape.read_out = static_cast<networks::ReadOutOf>(json.at("read_out").get<int>());
    shape.outputs = json.at("outputs");
    return shape;
}

nlohmann::json shapes_in(const store::Dataset& data) {
    const auto found = data.attributes.find(shapes_attribute);
    if (found == data.attributes.end()) throw std::invalid_argument("it keeps no networks; training/teachers does");
    nlohmann::json shapes = nlohmann::json::parse(found->second, nullptr, false);
    if (!shapes.is_object()) throw std::invalid_argument("its attribute 'networks' is no JSON object");
    return shapes;
}

TransformerShape shape_in(const store::Dataset& data, const std::string& source) {
    const nlohmann::json shapes = shapes_in(data);
    if (!shapes.contains(source)) {
        const std::vector<std::string> there = network_sources(data);
        std::string names;
        for (const std::string& one : there) names += (names.empty() ? "" : ", ") + one;
        throw std::invalid_argument("it keeps no network of '" + source + "'; there are " + names + "." +
                                    did_you_mean(source, there));
    }
    try {
        return shape_of(shapes[source]);
    } catch (const nlohmann::json::exception&) {
        throw std::invalid_argument("its attribute 'networks' says no shape of '" + source + "'");
    }
}

/// The first rows and columns of a variable there.
void take(const store::Dataset& data, const report::Fixed& at, const networks::Parameter& parameter,
          networks::Column<float>& values) {
    if (!data.has_variable(parameter.name)) {
        const auto left_out = data.attributes.find("left_out");
        const bool known =
            left_out != data.attributes.end() && left_out->second.find(parameter.name) != std::string::npos;
        throw std::invalid_argument("it has no variable '" + parameter.name + "'" +
                                    (known ? ": this file was stored without weights" : ""));
    }
    const report::Slice all = report::slice(data, parameter.name, at);
    const auto size = [&](std::size_t axis) { return static_cast<Index>(all.axes[axis].size()); };
    const bool vector = all.axes.size() == 1;
    const Index rows = vector ? 1 : size(0), columns = size(vector ? 0 : 1);
    if (all.axes.size() > 2 || rows < parameter.rows || columns < parameter.columns)
        throw std::invalid_argument(fmt::format("'{}' has {} x {} weights, and the network {} x {}", parameter.name,
                                                rows, columns, parameter.rows, parameter.columns));
    const Eigen::Map<const Points> whole(all.values.data(), rows, columns);
    networks::view(values, parameter) = whole.topLeftCorner(parameter.rows, parameter.columns).cast<float>();
}

/// Sequences end where NaN begins.
NetworkInputs sequences_in(const store::Dataset& data, const report::Fixed& at, const TransformerShape& shape) {
    const bool tokens = shape.vocabulary > 0;
    const report::Slice all = report::slice(data, tokens ? "held_out" : "held_out_rows", at);
    const auto count = static_cast<Index>(all.axes[0].size()), length = static_cast<Index>(all.axes[1].size());
    const Index width = tokens ? 1 : static_cast<Index>(all.axes[2].size());
    NetworkInputs result;
    for (Index number = 0; number < count; ++number) {
        const Eigen::Map<const Points> rows(all.values.data() + number * length * width, length, width);
        Index used = 0;
        while (used < length && !std::isnan(rows(used, 0))) ++used;
        if (used == 0) break;
        networks::Sequence<float> one;
        if (tokens)
            for (Index i = 0; i < used; ++i) one.tokens.push_back(static_cast<int>(rows(i, 0)));
        else
            one.rows = rows.topLeftCorner(used, shape.inputs).cast<float>();
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace

NetworkFrame::NetworkFrame(const std::vector<TransformerShape>& shapes) {
    for (const TransformerShape& shape : shapes) {
        const networks::Transformer network(shape);
        for (const networks::Parameter& parameter : network.layout().all()) {
            const auto found = std::find_if(extents_.begin(), extents_.end(),
                                            [&](const Extent& one) { return one.name == parameter.name; });
            if (found == extents_.end()) {
                extents_.push_back({parameter.name, parameter.rows, parameter.columns});
                continue;
            }
            found->rows = std::max(found->rows, parameter.rows);
            found->columns = std::max(found->columns, parameter.columns);
        }
        positions_ = std::max(positions_, shape.positions);
        inputs_ = std::max(inputs_, shape.inputs);
        tokens_ = tokens_ || shape.vocabulary > 0;
    }
}

std::string NetworkFrame::lack(const TransformerShape& shape) const {
    const networks::Transformer network(shape);
    for (const networks::Parameter& parameter : network.layout().all()) {
        const auto found = std::find_if(extents_.begin(), extents_.end(),
                                        [&](const Extent& one) { return one.name == parameter.name; });
        if (found == extents_.end()) return fmt::format("no '{}'", parameter.name);
        if (parameter.rows > found->rows || parameter.columns > found->columns)
            return fmt::format("'{}' has {} x {} weights, and {} x {} fit", parameter.name, parameter.rows,
                               parameter.columns, found->rows, found->columns);
    }
    return {};
}

void NetworkFrame::add(store::Dataset& data, const networks::Transformer& network,
                       const networks::Column<float>& values, const NetworkInputs& sequences, Index kept) const {
    for (const Extent& extent : extents_) {
        Points all = Points::Constant(extent.rows, extent.columns, nan);
        for (const networks::Parameter& parameter : network.layout().all())
            if (parameter.name == extent.name)
                all.topLeftCorner(parameter.rows, parameter.columns) =
                    networks::view(values, parameter).template cast<double>();
        const std::string row = fmt::format("row_{}", extent.rows), column = fmt::format("column_{}", extent.columns);
        std::vector<std::string> axes{column};
        if (extent.rows > 1) {
            axes.insert(axes.begin(), row);
            add_axis(data, row, extent.rows, "row of a matrix of weights");
        }
        add_axis(data, column, extent.columns, "column of a matrix of weights, or entry of a vector");
        data.variables.push_back({extent.name, axes, {all.data(), all.data() + all.size()}, "", "trained weights"});
    }
    add_axis(data, "sequence", kept, "sequences held out of training");
    add_axis(data, "position", positions_, "of a token in its sequence");
    if (inputs_ > 0) add_axis(data, "input", inputs_, "number of a row");
    const auto place = [&](const char* name, Index width, auto entry, std::vector<std::string> axes,
                           const char* description) {
        std::vector<double> all(static_cast<std::size_t>(kept * positions_ * width), nan);
        for (Index s = 0; s < std::min(kept, static_cast<Index>(sequences.size())); ++s)
            for (Index i = 0; i < sequences[static_cast<std::size_t>(s)].length(); ++i)
                for (Index k = 0; k < width; ++k)
                    all[static_cast<std::size_t>((s * positions_ + i) * width + k)] =
                        entry(sequences[static_cast<std::size_t>(s)], i, k);
        data.variables.push_back({name, std::move(axes), std::move(all), "", description});
    };
    using Sequence = networks::Sequence<float>;
    if (tokens_)
        place(
            "held_out", 1,
            [](const Sequence& of, Index i, Index) {
                return of.tokens.empty() ? nan : static_cast<double>(of.tokens[static_cast<std::size_t>(i)]);
            },
            {"sequence", "position"}, "tokens of sequences held out of training");
    if (inputs_ > 0)
        place(
            "held_out_rows", inputs_,
            [](const Sequence& of, Index i, Index k) {
                return k < of.rows.cols() ? static_cast<double>(of.rows(i, k)) : nan;
            },
            {"sequence", "position", "input"}, "rows of numbers of sequences held out of training");
}

std::string network_shapes_text(const std::map<std::string, TransformerShape>& shapes) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [source, shape] : shapes) all[source] = json_of(shape);
    return all.dump();
}

std::vector<std::string> network_sources(const store::Dataset& data) {
    std::vector<std::string> names;
    const nlohmann::json shapes = shapes_in(data);
    for (const auto& one : shapes.items()) names.push_back(one.key());
    return names;
}

std::string StoredNetwork::hash() const {
    store::Sha256 all;
    all.add(std::as_bytes(std::span(weights_hash)));
    for (const networks::Sequence<float>& one : sequences) {
        all.add(std::as_bytes(std::span(one.tokens)));
        all.add(std::as_bytes(std::span(one.rows.data(), static_cast<std::size_t>(one.rows.size()))));
        // The end of a sequence counts, too.
        all.add(std::as_bytes(std::span("\n", 1)));
    }
    return all.digest();
}

StoredNetwork read_network(const store::Dataset& data, const std::string& source, double seed) {
    const TransformerShape shape = shape_in(data, source);
    const report::Fixed at{{"source", source}, {"seed", seed}};
    networks::Transformer network(shape);
    networks::Column<float> values(network.layout().size());
    for (const networks::Parameter& parameter : network.layout().all()) take(data, at, parameter, values);
    if (!values.allFinite())
        throw std::invalid_argument(fmt::format(
            "the network of '{}' with seed {} has weights that are missing: its training failed", source, seed));
    const std::string hash =
        store::sha256(json_of(shape).dump() + store::sha256(std::as_bytes(std::span(values.data(), values.size()))));
    networks::Weights<float> weights(network.layout(), std::move(values), networks::Passes::forward);
    return {std::move(network), std::move(weights), sequences_in(data, at, shape), hash};
}

}  // namespace rfbench::experiments
