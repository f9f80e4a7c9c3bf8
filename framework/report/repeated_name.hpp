#pragma once
#include <stdexcept>
#include <string>

namespace rfbench::report {

/// Two series of one panel, or two columns of one table, have the same name, which may be one that a user gave.
class RepeatedName : public std::invalid_argument {
public:
    RepeatedName(const std::string& sentence, std::string name)
        : std::invalid_argument(sentence), name_(std::move(name)) {}

    const std::string& name() const { return name_; }

private:
    std::string name_;
};

}  // namespace rfbench::report
