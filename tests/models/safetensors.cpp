#include "rfbench/models/safetensors.hpp"

#include <cmath>

#include "catch.hpp"
#include "small_model.hpp"

using namespace rfbench;
using models::Safetensors;
using scene::little_endian;
using scene::said;
using small_model::framed;

namespace {

/// Message of reading tensor "a", 1 x 2, of these bytes, the folder's name left out.
std::string message(const std::string& bytes) {
    const scene::Folder folder;
    const std::string file = folder.write("m", bytes);
    std::string text = said([&] { Safetensors(file).matrix("a", 1, 2); });
    return text.starts_with(file) ? text.substr(file.size() - 1) : text;
}

std::string tensor(const std::string& name, const std::string& type, const std::string& shape,
                   const std::string& places) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + places + "}";
}

}  // namespace

TEST_CASE("safetensors: entries of each type have the value of their bits") {
    const std::string halves = little_endian(0x3c00, 2) + little_endian(0xc000, 2) + little_endian(0x3555, 2) +
                               little_endian(0x7bff, 2) + little_endian(0x0001, 2) + little_endian(0x8000, 2);
    const std::string brains = little_endian(0x3f80, 2) + little_endian(0xc000, 2) + little_endian(0x3eab, 2) +
                               little_endian(0x7f7f, 2) + little_endian(0x0001, 2) + little_endian(0x8000, 2);
    std::string floats;
    for (const float x : {1.0f, -2.0f, 0.1f, 3.4e38f, 1e-45f, -0.0f}) floats += small_model::bytes_of_float(x);
    const scene::Folder folder;
    const Safetensors file(folder.write("m", small_model::safetensors({{"half", "F16", {2, 3}, halves},
                                                                       {"bytes", "U8", {3}, "abc"},
                                                                       {"none", "F32", {0, 3}, ""},
                                                                       {"brain", "BF16", {2, 3}, brains},
                                                                       {"float", "F32", {2, 3}, floats}})));
    Rows<float> half(2, 3), brain(2, 3), single(2, 3);
    half << 1, -2, 0.333251953125f, 65504, 0x1p-24f, -0.0f;
    brain << 1, -2, 0.333984375f, 0x1.fep127f, 0x1p-133f, -0.0f;
    single << 1, -2, 0.1f, 3.4e38f, 1e-45f, -0.0f;
    CHECK(file.matrix("half", 2, 3) == half);
    CHECK(file.matrix("brain", 2, 3) == brain);
    CHECK(file.matrix("float", 2, 3) == single);
    CHECK(std::signbit(file.matrix("half", 2, 3)(1, 2)));
    CHECK(file.has("bytes"));
    CHECK_FALSE(file.has("__metadata__"));
    CHECK(file.matrix("none", 0, 3).size() == 0);
}

TEST_CASE("safetensors: what is malformed is refused with the file and the tensor") {
    const std::string good = tensor("a", "F32", "[1,2]", "[0,8]"), data(8, '\0');
    struct Case {
        std::string bytes, message;
    };
    const Case cases[] = {
        {framed("{" + good + "}", data), "accepted"},
        {"", "m: is cut short: it has 0 bytes, the length of the header alone takes 8"},
        {"<html>moved</html>",
         "m: is no safetensors file: its header would have 8029142346085197884 bytes; 100000000 are allowed"},
        {little_endian(50, 8) + "{}", "m: is cut short inside its header: it has 10 bytes, the header ends at 58"},
        {framed("[]", ""), "m: the header is no JSON object"},
        {framed("{" + good + "," + good + "}", data), "m(header): has the key 'a' twice"},
        {framed("{\"a\":7}", ""), "m: tensor 'a' has no 'dtype' in the header"},
        {framed("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", ""), "m: tensor 'a' has no 'data_offsets' in the header"},
        {framed("{" + tensor("a", "F31", "[1,2]", "[0,8]") + "}", data),
         "m: tensor 'a' is of dtype F31; F32, F16 and BF16 are read as weights"},
        {framed("{" + tensor("a", "F32", "[1,-2]", "[0,8]") + "}", data),
         "m: tensor 'a': shape is [1,-2]; a list of whole numbers is needed"},
        {framed("{" + tensor("a", "F32", "[1,2]", "[0,8,9]") + "}", data),
         "m: tensor 'a': data_offsets are [0, 8, 9]; begin and end are needed"},
        {framed("{" + tensor("a", "F32", "[1,2]", "[8,0]") + "}", data),
         "m: tensor 'a': data_offsets are [8, 0]; begin and end are needed"},
        {framed("{" + tensor("a", "F32", "[1,2]", "[0,1e99]") + "}", data),
         "m: tensor 'a': data_offsets is [0,1e+99]; a list of whole numbers is needed"},
        {framed("{" + good + "}", "1234567"),
         "m: tensor 'a' ends at byte 8 of the data, of which there are 7: the file is cut short"},
        {framed("{" + good + "}", data + "x"), "m: 1 bytes follow the last tensor"},
        {framed("{" + tensor("a", "F32", "[1,3]", "[0,8]") + "}", data),
         "m: tensor 'a' of shape [1, 3] and dtype F32 does not fit its 8 bytes"},
        // A product of extents that overflows 64 bits to 2.
        {framed("{" + tensor("a", "F32", "[9223372036854775809,2]", "[0,8]") + "}", data),
         "m: tensor 'a' of shape [9223372036854775809, 2] and dtype F32 does not fit its 8 bytes"},
        {framed("{" + good + "," + tensor("b", "F32", "[1]", "[4,8]") + "}", data), "m: tensors 'a' and 'b' overlap"},
        {framed("{" + good + "," + tensor("b", "F32", "[1]", "[12,16]") + "}", data + data),
         "m: no tensor has the 4 bytes before tensor 'b'"},
        {framed("{" + tensor("b", "F32", "[1,2]", "[0,8]") + "}", data), "m: has no tensor 'a'"},
        {framed("{" + tensor("a", "F32", "[2,1]", "[0,8]") + "}", data),
         "m: tensor 'a' has the shape [2, 1]; the configuration asks for [1, 2]"},
        {framed("{" + tensor("a", "I32", "[1,2]", "[0,8]") + "}", data),
         "m: tensor 'a' is of dtype I32; F32, F16 and BF16 are read as weights"},
        {framed("{" + good + "}", "1234" + little_endian(0x7f800000, 4)), "m: tensor 'a': entry 1 is inf"},
        {framed("{" + tensor("a", "BF16", "[1,2]", "[0,4]") + "}", little_endian(0x7fc0, 2) + "12"),
         "m: tensor 'a': entry 0 is nan"},
    };
    for (const Case& c : cases) CHECK(message(c.bytes) == c.message);
    // The rest is the parser's own.
    CHECK(message(framed("{\"a\":", "")).starts_with("m(header): is no JSON: parse error at line 1, column 6:"));
    CHECK(message(framed("{\"\xff\":1}", "")).starts_with("m(header): is no JSON: parse error at line 1, column 3:"));
    CHECK(said([] { Safetensors("/nowhere/m"); }) == "/nowhere/m: there is no such file");
}

TEST_CASE("safetensors: every truncation and every longer file is refused, a flipped byte never crashes") {
    const std::string bytes =
        small_model::safetensors({{"a", "F32", {1, 2}, std::string(8, '\1')}, {"b", "F16", {3}, std::string(6, '\2')}});
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        INFO("byte " << i);
        CHECK(message(bytes.substr(0, i)) != "accepted");
        for (const int mask : {0x01, 0x80, 0xff}) {
            std::string damaged = bytes;
            damaged[i] = static_cast<char>(damaged[i] ^ mask);
            CHECK_NOTHROW(message(damaged));  // DataError, or other names and numbers
        }
    }
    CHECK(message(bytes + '\0') == "m: 1 bytes follow the last tensor");
}
