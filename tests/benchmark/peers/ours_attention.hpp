#pragma once
#include <functional>
#include <map>
#include <string>

namespace peers {

using Run = std::function<void()>;

/// The rows of attention: what makes one ready to run.
std::map<std::string, Run (*)()> attention_rows();

}  // namespace peers
