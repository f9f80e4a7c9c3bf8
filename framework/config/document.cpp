#include "rfbench/config/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "rfbench/config/places.hpp"
#include "rfbench/config/source_text.hpp"

namespace rfbench::config {
namespace {

/// Size of a node with all that is below it: an alias counts as much as the node it stands for.
struct Extent {
    std::size_t bytes = 0;
    std::size_t depth = 0;
};

constexpr std::size_t node_bytes = 16;

Extent extent(const Node& node) {
    Extent whole{node_bytes + node.text.size(), 0};
    for (const Key& key : node.keys) whole.bytes += key.name.size();
    for (const Node& item : node.items) {
        const Extent part = extent(item);
        whole.bytes += part.bytes;
        whole.depth = std::max(whole.depth, part.depth);
    }
    if (node.shape == Shape::list || node.shape == Shape::map) ++whole.depth;
    return whole;
}

class Builder : public YAML::EventHandler {
public:
    explicit Builder(const Places& places) : places_(places) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (root_) refuse(mark, "a second document begins here; a configuration is one document.");
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        // The parser marks a missing value with whatever comes next: the key or the list is the better place.
        Node node;
        node.place = awaits_value()                ? open_.back().node.keys.back().place
                     : !open_.empty() && !is_map() ? open_.back().node.place
                                                   : places_.at(mark);
        if (awaits_key()) refuse(mark, "a key is missing before the colon.");
        put(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchored_.find(anchor);
        // An anchor is known from the end of its node on.
        if (found == anchored_.end()) refuse(mark, "this alias stands inside its own anchor.");
        if (awaits_key()) refuse(mark, "an alias cannot be a key.");
        // Aliases of aliases grow as powers do (the "billion laughs"): limits hold for what they come to, before it is
        // copied.
        const Extent grown = extent(found->second);
        grow(places_.at(mark), grown.bytes);
        if (open_.size() + grown.depth > max_nesting) refuse_depth(mark);
        put(Node(found->second), YAML::NullAnchor);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        refuse_tag(mark, tag);
        if (tag == "!" && !places_.closes_quote(mark)) refuse(mark, "the quote that opens here is never closed.");
        refuse_control_characters(mark, text);
        grow(places_.at(mark), node_bytes + text.size());
        const bool quoted = tag == "!";
        if (awaits_key()) return put_key(mark, text, quoted);
        Node node;
        node.shape = Shape::scalar;
        node.place = places_.at(mark);
        node.text = text;
        node.quoted = quoted;
        put(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        begin(mark, tag, anchor, Shape::list);
    }
    void OnSequenceEnd() override { finish(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        begin(mark, tag, anchor, Shape::map);
    }
    void OnMapEnd() override { finish(); }

    std::optional<Node> take() { return std::move(root_); }

private:
    /// A list or map whose end has not come yet.
    struct Open {
        Node node;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::map<std::string, int, std::less<>> lines;  // of the keys so far
    };

    // Keys and values of a map come by turns: it awaits a value while it has one key more than items.
    bool is_map() const { return !open_.empty() && open_.back().node.shape == Shape::map; }
    bool awaits_value() const { return is_map() && open_.back().node.keys.size() > open_.back().node.items.size(); }
    bool awaits_key() const { return is_map() && !awaits_value(); }

    std::string path() const {
        std::string path;
        // A list is at its next element; a map is at its last key, until the value of that key is there.
        for (const Open& open : open_) {
            const Node& node = open.node;
            if (node.shape == Shape::list) {
                path = joined(path, node.items.size());
            } else if (node.keys.size() > node.items.size()) {
                path = joined(path, node.keys.back().name);
            }
        }
        return path;
    }

    [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& sentence) const {
        throw Error(places_.at(mark), path(), sentence);
    }
    [[noreturn]] void refuse_depth(const YAML::Mark& mark) const {
        refuse(mark, fmt::format("lists and maps are nested deeper than {} levels.", max_nesting));
    }

    void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
        // yaml-cpp gives '?' to plain nodes and '!' to texts in quotes or blocks: neither was written as a tag.
        if (tag.empty() || tag == "?" || tag == "!") return;
        refuse(mark, fmt::format("the tag {} is not allowed; the type follows from the key.", in_quotes(tag)));
    }

    // Characters that checked_text refuses in the file are refused in escapes such as "\\0" or "\\uFEFF", too.
    void refuse_control_characters(const YAML::Mark& mark, const std::string& text) const {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto byte = static_cast<unsigned>(static_cast<unsigned char>(text[i]));
            const auto next = static_cast<unsigned>(i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0);
            const bool low = (byte < 0x20U && byte != '\n' && byte != '\t') || byte == 0x7FU;
            const bool high = byte == 0xC2U && next < 0xA0U;
            if (low || high) {
                refuse(mark, fmt::format("the text holds the control character U+{:04X}.", low ? byte : next));
            }
            if (text.compare(i, 3, "\xEF\xBB\xBF") == 0) refuse(mark, "the text holds a byte order mark.");
        }
    }

    // Called before a node is made, so that no text asks for more memory than the limit.
    void grow(const Place& place, std::size_t bytes) {
        bytes_ += bytes;
        if (bytes_ <= max_document_bytes) return;
        throw Error(
            place, path(),
            fmt::format("with its aliases written out the document is larger than {} MiB.", max_document_bytes >> 20));
    }

    void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Shape shape) {
        refuse_tag(mark, tag);
        if (awaits_key()) refuse(mark, "a key must be a plain word, not a list or a map. Is a bracket left open?");
        if (open_.size() == max_nesting) refuse_depth(mark);
        grow(places_.at(mark), node_bytes);
        Open open;
        open.node.shape = shape;
        open.node.place = places_.at(mark);
        open.anchor = anchor;
        open_.push_back(std::move(open));
    }

    void finish() {
        Open done = std::move(open_.back());
        open_.pop_back();
        put(std::move(done.node), done.anchor);
    }

    void put_key(const YAML::Mark& mark, const std::string& name, bool quoted) {
        Open& map = open_.back();
        const Place place = places_.at(mark);
        const std::string here = joined(path(), name);
        if (name == "<<" && !quoted) {
            throw Error(place, here, "merge keys are not supported; write the keys out or use a profile.");
        }
        const auto [earlier, is_new] = map.lines.emplace(name, place.line);
        if (!is_new) {
            const std::string first =
                places_.source()->has_lines ? fmt::format(", first on line {}", earlier->second) : "";
            throw Error(place, here, "this key is given twice" + first + ".");
        }
        map.node.keys.push_back({name, place});
    }

    void put(Node&& node, YAML::anchor_t anchor) {
        // A node with an anchor is kept a second time, to be copied by its aliases.
        if (anchor != YAML::NullAnchor) {
            grow(node.place, extent(node).bytes);
            anchored_[anchor] = node;
        }
        if (open_.empty()) {
            root_ = std::move(node);
        } else {
            open_.back().node.items.push_back(std::move(node));
        }
    }

    const Places& places_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, Node> anchored_;
    std::optional<Node> root_;
    std::size_t bytes_ = 0;
};

/// Hint at the most frequent mistake in a map in braces that does not parse: {linspace:[1, 2, 3]}.
std::string colon_hint(const std::string& text) {
    bool braces = false;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '{') braces = true;
        if (text[i] == '}' || text[i] == '"' || text[i] == '\'' || text[i] == '#') braces = false;
        if (braces && text[i] == ':' && std::string_view("[{0123456789").find(text[i + 1]) != std::string_view::npos)
            return " Write a space after ':'.";
    }
    return "";
}

}  // namespace

Node parse_document(std::string_view bytes, const std::shared_ptr<const Source>& source) {
    const std::string text = checked_text(bytes, source);
    const Places places(text, source);
    Builder builder(places);
    try {
        std::istringstream in(text);
        YAML::Parser parser(in);
        // The second call finds out whether another document follows, which the builder refuses.
        if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
    } catch (const YAML::Exception& failure) {
        throw Error(places.at(failure.mark), "", "this is not YAML: " + failure.msg + "." + colon_hint(text));
    }
    std::optional<Node> root = builder.take();
    if (!root || root->shape == Shape::empty) throw Error({source, 1, 1}, "", "there is nothing here but comments.");
    return *std::move(root);
}

const Node* find(const Node& node, std::string_view key) {
    const auto found = std::find_if(node.keys.begin(), node.keys.end(), [&](const Key& k) { return k.name == key; });
    return found == node.keys.end() ? nullptr : &node.items[static_cast<std::size_t>(found - node.keys.begin())];
}

Node* find(Node& node, std::string_view key) { return const_cast<Node*>(find(std::as_const(node), key)); }

std::string given(const Node& node) {
    switch (node.shape) {
        case Shape::empty: return "nothing";
        case Shape::scalar:
            return node.quoted ? "the text " + in_quotes(node.text) + " in quotes" : in_quotes(node.text);
        case Shape::list: return node.items.empty() ? "an empty list" : fmt::format("a list of {}", node.items.size());
        case Shape::map: return "a map";
    }
    return "nothing";
}

}  // namespace rfbench::config
