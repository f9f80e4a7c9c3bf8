#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "rfbench/config/rule.hpp"
#include "rfbench/config/value_content.hpp"

namespace rfbench::config {
namespace {

class ListRule : public Rule {
public:
    ListRule(Schema element, std::size_t min_size, Repetition repetition, bool takes_one)
        : element_(std::move(element)), min_size_(min_size), repetition_(repetition), takes_one_(takes_one) {}

    std::string takes() const override {
        const std::string element = element_.rule().takes();
        if (takes_one_) return element + ", or a list of such";
        return min_size_ > 1 ? fmt::format("a list of at least {}, each {}", min_size_, element)
                             : "a list, each element " + element;
    }
    bool fits(Shape shape) const override {
        return shape == Shape::list || (takes_one_ && element_.rule().fits(shape));
    }

    Value check(const Node& node, const std::string& path) const override {
        // A single value stands for a list of one. A list is never read as one element.
        if (takes_one_ && node.shape != Shape::list && element_.rule().fits(node.shape)) {
            return make_value(std::vector<Value>{element_.rule().check(node, path)}, node.place, path);
        }
        if (node.shape != Shape::list) refuse_node(node, path, *this);
        if (node.items.size() < min_size_) {
            refuse_node(node, path, *this);
        }
        std::vector<Value> values;
        std::map<std::string, std::size_t> seen;
        Mistakes mistakes;
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            const std::string here = joined(path, i);
            mistakes.in([&] {
                values.push_back(element_.rule().check(node.items[i], here));
                if (repetition_ == Repetition::refused) refuse_repetition(values.back(), i, seen);
            });
        }
        mistakes.tell();
        return make_value(std::move(values), node.place, path);
    }

    void help(const std::string& path, std::vector<KeyHelp>& lines) const override {
        element_.rule().help(path + "[]", lines);
    }

private:
    static void refuse_repetition(const Value& value, std::size_t index, std::map<std::string, std::size_t>& seen) {
        // Elements are compared as they are written canonically: 1.0 and +1 are one number.
        const std::string written = canonical_flow(value);
        const auto [first, is_new] = seen.emplace(written, index);
        if (!is_new) {
            value.refuse(
                fmt::format("{} is in the list twice, first as element {}.", in_quotes(written), first->second));
        }
    }

    Schema element_;
    std::size_t min_size_;
    Repetition repetition_;
    bool takes_one_;
};

class AlternativeRule : public Rule {
public:
    explicit AlternativeRule(std::vector<Schema> alternatives) : alternatives_(std::move(alternatives)) {
        if (alternatives_.empty()) throw std::logic_error("any_of: no alternatives.");
    }

    std::string takes() const override {
        std::string text;
        for (const Schema& alternative : alternatives_) {
            text += (text.empty() ? "" : ", or ") + alternative.rule().takes();
        }
        return text;
    }
    bool fits(Shape shape) const override {
        for (const Schema& alternative : alternatives_) {
            if (alternative.rule().fits(shape)) return true;
        }
        return false;
    }

    Value check(const Node& node, const std::string& path) const override {
        std::vector<const Rule*> fitting;
        for (const Schema& alternative : alternatives_) {
            if (alternative.rule().fits(node.shape)) fitting.push_back(&alternative.rule());
        }
        // If the shape fits one alternative, its error says most. If it fits several, all are named.
        if (fitting.size() == 1) return fitting.front()->check(node, path);
        for (const Rule* rule : fitting) {
            try {
                return rule->check(node, path);
            } catch (const Error&) {
                // The next alternative may take it.
            }
        }
        refuse_node(node, path, *this);
    }

    void help(const std::string& path, std::vector<KeyHelp>& lines) const override {
        for (const Schema& alternative : alternatives_) alternative.rule().help(path, lines);
    }

private:
    std::vector<Schema> alternatives_;
};

}  // namespace

Schema list_of(Schema element, std::size_t min_size, Repetition repetition) {
    return Schema(std::make_shared<ListRule>(std::move(element), min_size, repetition, false));
}
Schema one_or_more(Schema element, Repetition repetition) {
    return Schema(std::make_shared<ListRule>(std::move(element), 1, repetition, true));
}
Schema any_of(std::vector<Schema> alternatives) {
    return Schema(std::make_shared<AlternativeRule>(std::move(alternatives)));
}

}  // namespace rfbench::config
