#pragma once
// All that studies of conversions share: keys, teachers, and the variables of a conversion stage by stage.
#include <map>

#include "conversion/conversion.hpp"

namespace rfbench::experiments {

/// Keys of an entry of `methods` beside the method's: `distil`, `rate`, `kept`, `keep`.
std::vector<config::KeyRule> recipe_keys();
/// Softmax and uniform attention, between which recovery is told.
std::vector<Control> conversion_controls();
/// `from`, `sources`, sizes of what is fitted, distilled, tuned and judged, and `seeds`.
std::vector<config::KeyRule> conversion_keys();

struct Converting {
    Axis<NetworkTask> tasks;
    Axis<MethodChoice> methods;
    Axis<std::uint64_t> seeds;
    std::map<std::pair<std::size_t, std::uint64_t>, std::shared_ptr<const StoredNetwork>> teachers;
    std::vector<std::optional<TeacherTraining>> trainings;  ///< by source, where the networks' file says
    ConversionSetting how;
    Stream stream;
    std::vector<std::string> notes;
    double bytes;  ///< a cell holds, about

    const StoredNetwork& teacher(const Point& at) const { return *teachers.at({at.index(tasks.name), at[seeds]}); }
    /// Whether the method has a form for what tokens of the source see.
    bool has_form(const Point&) const;
    /// Stream of the sequences at this point. It does not depend on the method: all methods use the same sequences.
    Stream seed(const Point& at) const { return stream.child(at[tasks].kind).child(at[seeds]); }
    /// The sweep with notes, bytes of a cell, and the attributes that reports read.
    Sweep completed(Sweep) const;
};

/// The key `from`, and the result that it names; none where all tasks come with their networks. Throws config::Error
/// where there is no such key and some do not.
config::KeyRule networks_key();
std::optional<store::Dataset> trained_networks(const config::Value& configuration, const std::vector<NetworkTask>&);

/// The network of a source that does this task. Throws std::invalid_argument as read_network() does, and where it was
/// trained for another form of task.
std::shared_ptr<const StoredNetwork> network_for(const store::Dataset& networks, const std::string& source, double seed,
                                                 const NetworkTask&);

/// Reads all of it; `study` names the root of what is drawn, and heads have at most `columns`, unless an entry says
/// more. Throws config::Error where networks and sources do not agree, where a control is missing, for a method that
/// cannot take the place of the networks' heads, and for keys of an entry that would change nothing.
Converting converting(const config::Value& configuration, const MethodKey&, const std::string& study, Index columns);

/// Loss, accuracy and all else that is measured of a stage: the axes stage, layer and head, and variables over them.
store::Dataset stage_data(const ConversionOutcome&, const NetworkTask&, const networks::TransformerShape&,
                          Index pictured);

/// 1, 2, ...
std::vector<double> counted_from_one(Index count);

}  // namespace rfbench::experiments
