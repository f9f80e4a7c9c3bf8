#include "rfbench/store/dataset_bytes.hpp"

#include <random>

#include "catch.hpp"
#include "datasets.hpp"
#include "rfbench/store/error.hpp"
#include "support/refusal.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

TEST_CASE("a dataset of every kind of shape, number and text is the same after its bytes") {
    for (const Dataset& data : {varied_dataset(), small_dataset(3), Dataset{}}) {
        const Dataset again = dataset_from(frame_bytes(data), value_bytes(data));
        CHECK(same(again, data));
    }
}

TEST_CASE("cells of a sweep share their frame, whatever their values and attributes are") {
    Dataset other = small_dataset(2);
    other.attributes["own"] = "text";
    CHECK(frame_bytes(other) == frame_bytes(small_dataset(1)));
    CHECK(value_bytes(other) != value_bytes(small_dataset(1)));
    other.axes[0].unit = "m";
    CHECK(frame_bytes(other) != frame_bytes(small_dataset(1)));
}

TEST_CASE("bytes that end too early or go on too long are refused") {
    const std::string frame = frame_bytes(small_dataset(1)), values = value_bytes(small_dataset(1));
    for (std::size_t size = 0; size < frame.size(); ++size)
        REQUIRE(refusal<Error>([&] { dataset_from(frame.substr(0, size), values); }) != "accepted");
    for (std::size_t size = 0; size < values.size(); ++size)
        REQUIRE(refusal<Error>([&] { dataset_from(frame, values.substr(0, size)); }) != "accepted");
    CHECK(contains(refusal<Error>([&] { dataset_from(frame + "x", values); }), "left over"));
    CHECK(contains(refusal<Error>([&] { dataset_from(frame, values + "x"); }), "left over"));
}

TEST_CASE("lengths that lie ask for no memory and end in an error or a dataset") {
    const std::string frame = frame_bytes(small_dataset(1)), values = value_bytes(small_dataset(1));
    std::mt19937_64 bits(7);
    for (int turn = 0; turn < 3000; ++turn) {
        std::string changed = turn % 2 == 0 ? frame : values;
        for (int i = 0; i < 1 + turn % 3; ++i) changed[bits() % changed.size()] = char(bits());
        try {
            turn % 2 == 0 ? dataset_from(changed, values) : dataset_from(frame, changed);
        } catch (const Error&) {
        }
    }
    SUCCEED();
}

TEST_CASE("texts come back as they were") {
    const std::vector<std::string> texts{"", "one", std::string("two\0lines\n", 10)};
    CHECK(texts_from(text_bytes(texts)) == texts);
    CHECK(refusal<Error>([&] { texts_from(text_bytes(texts).substr(1)); }) != "accepted");
}
