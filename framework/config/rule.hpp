#pragma once
// Interface of every kind of schema; only the configuration's own files include this.
#include <string>
#include <vector>

#include "rfbench/config/document.hpp"
#include "rfbench/config/schema.hpp"
#include "rfbench/config/value.hpp"

namespace rfbench::config {

class Rule {
public:
    virtual ~Rule() = default;
    /// "a number above 0", to be put after "must be".
    virtual std::string takes() const = 0;
    virtual bool fits(Shape) const = 0;
    /// The checked value; throws Error at the node.
    virtual Value check(const Node&, const std::string& path) const = 0;
    /// Appends a line for every key below.
    virtual void help(const std::string& /*path*/, std::vector<KeyHelp>&) const {}
};

/// Throws Error "must be <takes>, not <given>"; `reason` follows after a colon.
[[noreturn]] void refuse_node(const Node&, const std::string& path, const Rule&, const std::string& reason = {});

/// Several mistakes of one document, a line of the message each.
class Several : public Error {
public:
    explicit Several(std::vector<Error> all);
    const std::vector<Error>& all() const { return all_; }

private:
    std::vector<Error> all_;
};

/// Gathers mistakes of parts that are checked one after the other, so that all are told at once.
class Mistakes {
public:
    /// Calls check(), and keeps the Error that it throws.
    template <class Check>
    void in(Check check) {
        try {
            check();
        } catch (const Several& errors) {
            found_.insert(found_.end(), errors.all().begin(), errors.all().end());
        } catch (const Error& error) {
            found_.push_back(error);
        }
    }
    /// Throws a single Error as it is, and several as one.
    void tell() const;

private:
    std::vector<Error> found_;
};

/// "a, b, c".
std::string listed(const std::vector<std::string>& names);

}  // namespace rfbench::config
