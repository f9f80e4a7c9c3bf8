#pragma once
#include <functional>
#include <map>
#include <string>

namespace peers {

/// What is timed, and what it takes at least: multiply-adds count two operations. None are said where most of the work
/// is something else.
struct Row {
    std::function<void()> run;
    double operations = 0, exponentials = 0;
};

/// The rows of attention: what makes one ready to run.
std::map<std::string, Row (*)()> attention_rows();

}  // namespace peers
