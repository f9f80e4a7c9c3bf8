#pragma once
#include "ours_attention.hpp"

namespace peers {

/// The rows of training.
std::map<std::string, Row (*)()> network_rows();

}  // namespace peers
