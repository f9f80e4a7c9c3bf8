#pragma once
// What the studies of regression compare: mechanisms by samplings by numbers of features, beside references that draw
// nothing, over splits of data sets.
#include "choices.hpp"
#include "regression/task.hpp"
#include "study.hpp"

namespace rfbench::experiments {

/// Features of one kind, to be drawn several times.
struct Drawing {
    MechanismChoice choice;
    const sampling::Scheme* scheme;
    Index real_columns, dimension;

    /// The mechanism fitted to these rows, which are both queries and keys.
    std::unique_ptr<features::Mechanism> fit(const Points& rows) const;
    /// Draws of the fitted mechanism as many as were asked for, or cost no more than real_columns.
    std::unique_ptr<features::FeatureMap> map(const features::Mechanism&, const Stream&) const;
};

/// Read from the keys mechanisms, samplings, real_columns and splits of a configuration.
class Comparison {
public:
    Comparison(const config::Value&, std::vector<std::string> references);

    /// dataset, mechanism, sampling, real_columns, split. `about` says what the references are.
    std::vector<store::Axis> axes(const std::vector<Task>&, const std::string& about) const;

    /// Throws config::Error at the entry of `mechanisms` that was trained for rows of another dimension than a task's.
    void require_dimensions(const config::Value& mechanisms, const std::vector<Task>&) const;

    /// Of coordinates on these axes. References are measured once; some schemes cannot draw whole numbers.
    bool measured(const std::vector<std::size_t>& at) const;
    /// The reference's name; nothing for features.
    std::optional<std::string> reference(const std::vector<std::size_t>& at) const;
    Drawing drawing(const std::vector<std::size_t>& at, Index dimension) const;

private:
    std::vector<MechanismChoice> choices_;
    std::vector<std::string> references_;
    std::vector<const sampling::Scheme*> schemes_;
    std::vector<double> counts_, splits_;
};

}  // namespace rfbench::experiments
