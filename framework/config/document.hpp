#pragma once
// YAML as it was written: every node and key knows its place. Built from yaml-cpp's events, because its Node drops
// duplicate keys, further documents, quotes and tags without a word.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rfbench/config/error.hpp"

namespace rfbench::config {

/// Shape of a node as written; a scalar is not yet read as a number or a word.
enum class Shape { empty, scalar, list, map };

/// A key of a map as written, and where.
struct Key {
    std::string name;  ///< a plain word
    Place place;       ///< of its first character
};

/// A node of the document. For a map, keys[i] belongs to items[i].
struct Node {
    Shape shape = Shape::empty;   ///< which of the following it has
    Place place;                  ///< of its first character
    std::string text;             ///< of a scalar
    bool quoted = false;          ///< the scalar was written in quotes or as a block, so it is a text
    std::vector<Key> keys;        ///< of a map, in the order of the file
    std::vector<Node> items;      ///< of a list or a map
    std::optional<Key> replaced;  ///< of a profile's map: the name alone that it took the place of
};

/// The deepest nesting of lists and maps.
inline constexpr std::size_t max_nesting = 32;
/// The largest document once its aliases are written out, in bytes, every node counted as 16 more.
inline constexpr std::size_t max_document_bytes = std::size_t{32} << 20;

/// The one document in the text. Throws Error at the place of: anything that is not YAML, a second document, a
/// duplicate key (naming the line of the first), a key that is not a plain word, a merge key '<<', a tag, an alias
/// inside its own anchor, nesting beyond max_nesting, aliases that grow beyond max_document_bytes, control
/// characters written as escapes, or an empty document; and for what checked_text refuses.
Node parse_document(std::string_view bytes, const std::shared_ptr<const Source>&);

/// The item of a map, or nullptr when there is none of that name (or the node is no map).
const Node* find(const Node&, std::string_view key);
/// The item of a map, which may be changed; nullptr as above.
Node* find(Node&, std::string_view key);

/// Name of a node in a message: "'abc'", "the text 'abc' in quotes", "a list of 3", "a map", "nothing".
std::string given(const Node&);

}  // namespace rfbench::config
