#pragma once
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "rfbench/features/catalogue.hpp"

namespace rfbench::python {

/// A fitted mechanism with all that it was fitted from, so that it can be pickled and fitted again to the same bits.
class Mechanism {
public:
    /// Throws InputError for settings that the mechanism does not take, and for points whose parameters are not finite.
    Mechanism(const features::MechanismInfo&, features::Settings, features::Statistics);

    /// One of a user's own, an rfbench.Functions.
    Mechanism(pybind11::object functions, features::Statistics);

    const features::MechanismInfo& info() const { return *info_; }
    const features::Settings& settings() const { return settings_; }
    const features::Statistics& statistics() const { return statistics_; }
    const features::Mechanism& fitted() const { return *fitted_; }
    const pybind11::object& functions() const { return functions_; }  ///< null for one of the catalogue
    /// Throws InputError for one that states none.
    const features::MechanismWithMoments& with_moments() const;

private:
    std::shared_ptr<const features::MechanismInfo> info_;
    features::Settings settings_;
    features::Statistics statistics_;
    pybind11::object functions_;
    std::shared_ptr<const features::Mechanism> fitted_;
    const features::MechanismWithMoments* with_moments_ = nullptr;
};

/// Parameters that are given in Python. A text is read as the command line reads it. Throws InputError naming the
/// parameter for a value of no type that any parameter has.
features::Settings settings_of(const features::MechanismInfo&, const pybind11::dict&);
/// The same way back.
pybind11::dict dictionary_of(const features::Settings&);

/// Statistics as a tuple that can be pickled, and back.
pybind11::tuple state_of(const features::Statistics&);
features::Statistics statistics_of(const pybind11::tuple&);

}  // namespace rfbench::python
