#pragma once
#include <string>
#include <vector>

#include "rfbench/features/differentiable_map.hpp"
#include "rfbench/random/stream.hpp"

namespace rfbench::features {

/// A part of a vector of parameters.
struct ParameterGroup {
    std::string name;  ///< "points"; empty where it is the only group
    Index size;        ///< entries of the vector, one after the other
};

/// Feature maps of one form, one for each vector of parameters: what a training chooses from. Immutable.
class MapFamily {
public:
    virtual ~MapFamily() = default;

    virtual Index columns() const = 0;                      ///< R of every map
    virtual Index parameters() const = 0;                   ///< P, as DifferentiableMap::num_parameters() of every map
    virtual Index trained() const { return parameters(); }  ///< those that training changes
    /// Parameters to begin training with.
    virtual Vector start(const Stream&) const = 0;
    /// Parts of the parameters, in their order, which may be trained at rates of their own.
    virtual std::vector<ParameterGroup> groups() const { return {{"", parameters()}}; }

    /// The map with these parameters. Throws std::invalid_argument unless there are P, all finite.
    virtual std::shared_ptr<const FeatureMap> map(const Vector& parameters) const = 0;
};

/// The family of one map, without parameters.
std::shared_ptr<const MapFamily> one_map(std::shared_ptr<const FeatureMap>);

/// Throws std::invalid_argument "<name>: 3 parameters; it has 4", or that not all of them are finite.
void check_parameters(const std::string& name, const Vector& parameters, Index expected);

/// by += rows' back, d x m by columns from entry `first`: the gradient of weights W where u = x W and `back` is that
/// with respect to u.
template <class Scalar>
void add_weight_gradient(const RowsView<Scalar>& rows, const Rows<Scalar>& back, Vector& by, Index first);

}  // namespace rfbench::features
