#include "rfbench/store/dataset_bytes.hpp"

#include <cstdint>
#include <cstring>

#include "rfbench/store/error.hpp"

namespace rfbench::store {
namespace {

/// Counts in eight bytes before what they count; numbers as memory has them, little-endian as a whole pack is.
class Writer {
public:
    void count(std::uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
    void text(std::string_view value) { count(value.size()), bytes += value; }
    void numbers(const std::vector<double>& values) {
        count(values.size());
        bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    }
    void texts(const std::vector<std::string>& values) {
        count(values.size());
        for (const std::string& value : values) text(value);
    }

    std::string bytes;
};

class Reader {
public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    // How many of something, of which each takes so many bytes at least.
    std::uint64_t count(std::size_t each = 0) {
        std::uint64_t value = 0;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        if (each > 0 && value > rest_.size() / each) cut_short();
        return value;
    }
    std::string text() { return std::string(take(count(1))); }
    std::vector<double> numbers() {
        std::vector<double> values(count(sizeof(double)));
        const std::string_view bytes = take(values.size() * sizeof(double));
        if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    std::vector<std::string> texts() {
        std::vector<std::string> values(count(sizeof(std::uint64_t)));
        for (std::string& value : values) value = text();
        return values;
    }
    void end() const {
        if (!rest_.empty()) throw Error("bytes are left over behind a stored dataset");
    }

private:
    [[noreturn]] static void cut_short() { throw Error("a stored dataset ends too early"); }

    std::string_view take(std::size_t size) {
        if (size > rest_.size()) cut_short();
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
};

void write(Writer& to, const Axis& axis) {
    to.text(axis.name), to.text(axis.unit), to.text(axis.description);
    // 0 are numbers and 1 words, in stored files too: the order of the variant is part of the format.
    to.count(axis.labels.index());
    if (const auto* numbers = std::get_if<std::vector<double>>(&axis.labels))
        to.numbers(*numbers);
    else
        to.texts(std::get<std::vector<std::string>>(axis.labels));
}

Axis read_axis(Reader& from) {
    Axis axis{from.text(), {}, from.text(), from.text()};
    if (from.count() == 0)
        axis.labels = from.numbers();
    else
        axis.labels = from.texts();
    return axis;
}

}  // namespace

std::string frame_bytes(const Dataset& data) {
    Writer to;
    to.count(data.axes.size());
    for (const Axis& axis : data.axes) write(to, axis);
    to.count(data.variables.size());
    for (const Variable& one : data.variables)
        to.text(one.name), to.text(one.unit), to.text(one.description), to.texts(one.axes);
    return to.bytes;
}

std::string value_bytes(const Dataset& data) {
    Writer to;
    for (const Variable& one : data.variables) to.numbers(one.values);
    to.count(data.attributes.size());
    for (const auto& [name, value] : data.attributes) to.text(name), to.text(value);
    return to.bytes;
}

Dataset dataset_from(std::string_view frame, std::string_view values) {
    Dataset data;
    Reader shape(frame);
    // Each takes a few lengths of eight bytes at least, which bounds what a wrong count can ask for.
    data.axes.resize(shape.count(4 * sizeof(std::uint64_t)));
    for (Axis& axis : data.axes) axis = read_axis(shape);
    data.variables.resize(shape.count(4 * sizeof(std::uint64_t)));
    for (Variable& one : data.variables) {
        one.name = shape.text(), one.unit = shape.text(), one.description = shape.text();
        one.axes = shape.texts();
    }
    shape.end();

    Reader content(values);
    for (Variable& one : data.variables) one.values = content.numbers();
    for (std::uint64_t left = content.count(2 * sizeof(std::uint64_t)); left > 0; --left) {
        const std::string name = content.text();
        data.attributes[name] = content.text();
    }
    content.end();
    return data;
}

std::string text_bytes(const std::vector<std::string>& texts) {
    Writer to;
    to.texts(texts);
    return to.bytes;
}

std::vector<std::string> texts_from(std::string_view bytes) {
    Reader from(bytes);
    auto texts = from.texts();
    from.end();
    return texts;
}

}  // namespace rfbench::store
