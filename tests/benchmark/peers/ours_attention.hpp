#pragma once
#include <functional>
#include <map>
#include <string>

namespace peers {

/// A timed row with its minimum of operations: multiply-adds count two. None are given if most of the work is something
/// else.
struct Row {
    std::function<void()> run;
    double operations = 0, exponentials = 0;
};

/// The rows of attention: what makes one ready to run.
std::map<std::string, Row (*)()> attention_rows();

}  // namespace peers
