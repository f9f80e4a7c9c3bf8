#pragma once
// The key `methods` of a configuration, in one grammar for all studies:
//
//     methods: [positive, {use: positive, sampling: sobol}, {use: lsh, hashes: 8}, {use: luna, from: {...}}]
//
// and `samplings`, by which all methods are drawn that name no sampling of their own.
#include "study/axis.hpp"
#include "study/method.hpp"

namespace rfbench::experiments {

/// Which use a study has for the sampling that an entry names.
enum class EntrySampling {
    refused,  ///< none: the key is refused at its place
    drawn,    ///< draws the method by it
    exact,    ///< takes the exact variance under it; what has no closed form is refused
};

/// A method that every list of a study must have.
struct Control {
    std::string name;
    std::string purpose;  ///< "softmax that is tuned on, which others are told against"
};

/// Which methods a study takes, and what else their entries may say in it.
struct MethodKey {
    std::vector<Ability> abilities;          ///< a method must have one of them; none: the study has no key `methods`
    std::vector<config::KeyRule> keys = {};  ///< of each entry, beside the method's own
    bool samplings = false;                  ///< the study sweeps samplings
    bool columns = false;                    ///< an entry may have a number of columns of its own
    EntrySampling sampling = EntrySampling::refused;  ///< of an entry; drawn, where the study sweeps samplings
    std::string default_methods = {};                 ///< the default of `methods`, as YAML; empty: it is required
    std::string default_samplings = {};               ///< the default of `samplings`
    std::vector<Control> controls = {};
};

/// Use that the study makes of an entry's sampling.
inline EntrySampling entry_sampling(const MethodKey& key) {
    return key.samplings ? EntrySampling::drawn : key.sampling;
}

/// The keys `methods` and, where it sweeps them, `samplings`.
std::vector<config::KeyRule> method_keys(const MethodKey&);

/// Why the study does not take a method; empty where it does.
std::string refusal(const MethodKey&, const MethodInfo&);

/// One entry of the list.
struct MethodChoice {
    std::string label;  ///< unique in the list; the name, with the entry's sampling, unless given
    const MethodInfo* info;
    std::shared_ptr<const Method> method;
    const sampling::Scheme* sampling;  ///< its own; null: the study's
    std::optional<Index> columns;      ///< its own
    config::Value entry;               ///< where it stands, and what the study's keys say

    const Method* operator->() const { return method.get(); }
    /// Columns that the method or its entry decide, or else the whole budget.
    Index columns_within(Index budget) const { return method->own_columns().value_or(columns.value_or(budget)); }
    /// Whether a budget decides its columns.
    bool budgeted() const { return info->budgeted && !columns && !method->own_columns(); }
    /// The scheme it is drawn by where the study would draw by `other`.
    const sampling::Scheme& scheme(const sampling::Scheme& other) const { return sampling ? *sampling : other; }
    /// Throws config::Error at the entry where parameters were trained for rows of another dimension.
    void require_dimension(Index dimension) const;
    /// The same for layers or heads of a network that it has no parameters for.
    void require_heads(HeadCounts network) const;
    /// The same for columns that the map which its layers train cannot have.
    void require_columns(Index dimension, Index budget) const;
};

/// Throws config::Error, at the entry's place, for a method that the study does not take, and why; for a value that the
/// method does not take, a sampling that cannot draw it, and a label that repeats.
std::vector<MethodChoice> methods(const config::Value& configuration, const MethodKey&);

/// Stands for the key `methods`: of each, its entry and the files it names.
Axis<MethodChoice> method_axis(std::vector<MethodChoice>, std::string description = "what is compared");

/// Label on the axis of samplings for methods whose entry names a sampling, or that draw nothing.
inline constexpr const char* own_sampling = "own";
/// The samplings of a sweep, the key `samplings`; null, labelled so, for methods that name their own or of which
/// nothing is drawn.
Axis<const sampling::Scheme*> sampling_axis(const config::Value& configuration, const std::vector<MethodChoice>&);
/// Whether a method is measured at this point of that axis.
bool is_measured_at(const MethodChoice&, const sampling::Scheme*);
/// Scheme by which the method is drawn at this point; arbitrary if it draws nothing.
const sampling::Scheme& scheme_at(const MethodChoice&, const sampling::Scheme*);

}  // namespace rfbench::experiments
