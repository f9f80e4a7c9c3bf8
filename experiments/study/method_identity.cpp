#include "study/method_identity.hpp"

#include <algorithm>
#include <stdexcept>

#include "rfbench/config/document.hpp"
#include "rfbench/report/slice.hpp"

namespace rfbench::experiments {
namespace {

std::string text_at(const config::Node& entry, const char* key) {
    const config::Node* node = config::find(entry, key);
    return node == nullptr ? std::string() : node->text;
}

MethodIdentity identity_of(const config::Node& entry) {
    // A name alone is an entry without keys.
    if (entry.shape == config::Shape::scalar) return {entry.text, entry.text, {}, true};
    MethodIdentity result{text_at(entry, "label"), text_at(entry, "use"), text_at(entry, "sampling"), true};
    if (result.label.empty()) result.label = default_label(result.name, result.sampling);
    result.plain = std::all_of(entry.keys.begin(), entry.keys.end(), [](const config::Key& key) {
        return key.name == "use" || key.name == "label" || key.name == "sampling";
    });
    return result;
}

template <class Wanted>
std::optional<std::string> first_label(const store::Dataset& data, Wanted wanted) {
    for (const MethodIdentity& one : method_identities(data))
        if (wanted(one)) return one.label;
    return {};
}

}  // namespace

std::string default_label(const std::string& name, const std::string& sampling) {
    return sampling.empty() ? name : name + ", " + sampling;
}

std::vector<MethodIdentity> method_identities(const store::Dataset& data) {
    std::vector<MethodIdentity> all;
    const auto config = data.attributes.find("config");
    if (config == data.attributes.end()) {
        for (const std::string& label : report::words(data, "method")) all.push_back({label, label, {}, true});
        return all;
    }
    const auto source =
        std::make_shared<const config::Source>(config::Source{"the configuration in the result", false, ""});
    const config::Node document = config::parse_document(config->second, source);
    if (const config::Node* methods = config::find(document, "methods"))
        for (const config::Node& entry : methods->items) all.push_back(identity_of(entry));
    return all;
}

MethodIdentity method_identity(const store::Dataset& data, const std::string& label) {
    for (MethodIdentity& one : method_identities(data))
        if (one.label == label) return one;
    throw std::invalid_argument("the configuration of the result has no method '" + label + "'");
}

std::optional<std::string> label_of(const store::Dataset& data, const std::string& name) {
    return first_label(data, [&](const MethodIdentity& one) { return one.name == name; });
}

std::optional<std::string> label_of_plain(const store::Dataset& data, const std::string& name) {
    return first_label(data, [&](const MethodIdentity& one) {
        return one.name == name && one.plain && (one.sampling.empty() || one.sampling == "iid");
    });
}

}  // namespace rfbench::experiments
