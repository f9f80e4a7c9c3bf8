#pragma once
#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"

namespace rfbench::experiments {

/// The key `lambda_unit`: whether a regularisation stands as it is or is a share of tr S, and what it says.
config::KeyRule lambda_unit_key();
bool lambda_is_share(const config::Value& configuration);

}  // namespace rfbench::experiments
