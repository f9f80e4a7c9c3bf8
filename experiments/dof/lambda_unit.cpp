#include "dof/lambda_unit.hpp"

namespace rfbench::experiments {

config::KeyRule lambda_unit_key() {
    return config::defaulted("lambda_unit", config::one_of({"one", "trace"}), "one",
                             "one: lambda as it stands; trace: lambda is a share of the head's tr S, so that it suits "
                             "heads of all norms");
}

bool lambda_is_share(const config::Value& configuration) { return configuration.at("lambda_unit").text() == "trace"; }

}  // namespace rfbench::experiments
