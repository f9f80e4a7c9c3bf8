#include "rfbench/claims/expression.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <stdexcept>

#include "rfbench/claims/node.hpp"

namespace rfbench::claims {

namespace {

using Node = Expression::Node;

/// Recursive descent: sum = product {+- product}; product = signed {*/ signed}; signed = -signed | power;
/// power = atom [^ signed]; so that -x^2 is -(x^2) and 2^-3 is a power.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Node whole() {
        Node node = sum();
        if (at_ != text_.size()) refuse(fmt::format("'{}' is not expected here", text_[at_]));
        return node;
    }

private:
    static constexpr int deepest = 64;  // of brackets, so that no input exhausts the stack

    [[noreturn]] void refuse(const std::string& sentence) const {
        throw std::invalid_argument(fmt::format("column {}: {}", at_ + 1, sentence));
    }
    char next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char wanted) {
        if (next() != wanted) return false;
        ++at_;
        next();
        return true;
    }
    static Node call(std::string function, std::vector<Node> inputs) {
        return {Node::Kind::call, 0, std::move(function), std::move(inputs)};
    }

    Node sum() {
        Node left = product();
        for (;;) {
            if (take('+'))
                left = call("+", {left, product()});
            else if (take('-'))
                left = call("-", {left, product()});
            else
                return left;
        }
    }
    Node product() {
        Node left = signed_one();
        for (;;) {
            if (take('*'))
                left = call("*", {left, signed_one()});
            else if (take('/'))
                left = call("/", {left, signed_one()});
            else
                return left;
        }
    }
    Node signed_one() {
        if (++depth_ > deepest) refuse("the expression is too deep");
        Node node = take('-') ? call("negative", {signed_one()}) : power();
        --depth_;
        return node;
    }
    Node power() {
        Node base = atom();
        if (take('^')) return call("^", {base, signed_one()});
        return base;
    }
    Node atom() {
        const char first = next();
        if (take('(')) {
            Node inside = sum();
            if (!take(')')) refuse("')' is missing");
            return inside;
        }
        if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') return number();
        if (std::isalpha(static_cast<unsigned char>(first))) return word();
        refuse(first == '\0' ? "the expression ends here" : fmt::format("'{}' begins no value", first));
    }
    Node number() {
        double value = 0;
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc()) refuse("this is no number");
        at_ += static_cast<std::size_t>(end - begin);
        next();
        return {Node::Kind::number, value, {}, {}};
    }
    Node word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
        const std::string name(text_.substr(begin, at_ - begin));
        if (!take('(')) return {Node::Kind::name, 0, name, {}};
        std::vector<Node> inputs;
        do inputs.push_back(sum());
        while (take(','));
        if (!take(')')) refuse("')' is missing");
        return checked(call(name, std::move(inputs)));
    }
    Node checked(Node node) const {
        Signature wanted{};
        try {
            wanted = signature(node.name);
        } catch (const std::invalid_argument& error) {
            refuse(error.what());
        }
        if (node.inputs.size() != wanted.count)
            refuse(fmt::format("{} takes {} values, not {}", node.name, wanted.count, node.inputs.size()));
        if (wanted.axis && node.inputs.back().kind != Node::Kind::name)
            refuse(fmt::format("the last thing that {} takes is the name of an axis", node.name));
        if (wanted.variable && node.inputs.front().kind != Node::Kind::name)
            refuse(fmt::format("the first thing that {} takes is the name of a variable", node.name));
        return node;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Array Node::value(const Names& names) const {
    if (kind == Kind::number) return Array::scalar(number);
    if (kind == Kind::call) return called(*this, names);
    const auto found = names.find(name);
    if (found == names.end()) throw std::invalid_argument(fmt::format("there is no value '{}'", name));
    return found->second;
}

void Node::collect(std::set<std::string>& names, std::set<std::string> bound) const {
    if (kind == Kind::name && !bound.contains(name)) names.insert(name);
    if (kind != Kind::call) return;
    std::size_t first = 0, end = inputs.size();
    if (std::isalpha(static_cast<unsigned char>(name.front())) && name != "negative") {
        const Signature own = signature(name);
        if (own.axis) --end;
        if (own.variable) {
            bound.insert(inputs.front().name);
            first = 1;
        }
    }
    for (std::size_t i = first; i < end; ++i) inputs[i].collect(names, bound);
}

Expression::Expression(std::string_view text) : root_(std::make_shared<const Node>(Parser(text).whole())) {}

Array Expression::value(const Names& names) const { return root_->value(names); }

std::set<std::string> Expression::names() const {
    std::set<std::string> result;
    root_->collect(result, {});
    return result;
}

}  // namespace rfbench::claims
