#pragma once
#include <cstdlib>
#include <optional>
#include <string>

namespace rfbench::tests {

/// A variable of the environment with another value, until the end of the scope.
class ChangedVariable {
public:
    ChangedVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~ChangedVariable() {
        if (before_) {
            setenv(name_, before_->c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }
    ChangedVariable(const ChangedVariable&) = delete;
    ChangedVariable& operator=(const ChangedVariable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace rfbench::tests
