#include <bit>
#include <set>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"
#include "support/goodness_of_fit.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

std::uint64_t first_word(Stream stream) { return stream.bits(); }

Eigen::MatrixXd normals(const Stream& stream, Index rows, Index columns) {
    Eigen::MatrixXd m(rows, columns);
    fill_normal(stream, m);
    return m;
}

}  // namespace

TEST_CASE("a child depends on its keys, not on what was drawn") {
    Stream parent(5);
    const std::uint64_t before = first_word(parent.child("block").child(3));
    for (int i = 0; i < 17; ++i) parent.normal();
    CHECK(first_word(parent.child("block").child(3)) == before);

    // A copy goes on from where it was made.
    Stream copy = parent;
    for (int i = 0; i < 5; ++i) CHECK(copy.bits() == parent.bits());
}

TEST_CASE("different keys give different streams") {
    const Stream root(5);
    std::set<std::uint64_t> seen;
    std::size_t made = 0;
    const auto add = [&](const Stream& stream) {
        seen.insert(first_word(stream));
        ++made;
    };

    add(root);
    add(Stream(6));
    add(Stream(5 + (std::uint64_t{1} << 32)));
    for (const char* text : {"", "a", "b", "ab", "ba", "1", "12345678", "123456789", "1234567", "block", "phase"}) {
        add(root.child(text));
        add(root.child(text).child(1));
        add(root.child(1).child(text));
    }
    using std::string_view_literals::operator""sv;
    add(root.child("\0"sv));
    add(root.child("\0\0"sv));
    add(root.child("a").child("c"));
    add(root.child("ac"));
    for (std::uint64_t i = 0; i < 100000; ++i) add(root.child(i));
    for (std::uint64_t i = 0; i < 100; ++i) add(root.child(i << 32));  // child(0) is counted already
    CHECK(seen.size() == made - 1);
}

TEST_CASE("siblings and cousins are independent") {
    // First words of the children 0, 1, 2, ... of each of a few parents are as random as words of one stream: uniform,
    // uncorrelated with the next child, and half of all bits differ from the next child's.
    for (const char* parent : {"row", "column"}) {
        const Stream stream = Stream(1).child(parent);
        constexpr int n = 100000;
        std::vector<double> uniforms;
        Mean product, differing, bit[64];
        for (std::uint64_t i = 0; i < n; ++i) {
            Stream child = stream.child(i), next = stream.child(i + 1), cousin = Stream(2).child(parent).child(i);
            const std::uint64_t word = child.bits();
            if (i % 2 == 0) {
                differing.add(std::popcount(word ^ next.bits()));
                for (int k = 0; k < 64; ++k) bit[k].add(static_cast<double>(word >> k & 1));
            }
            Stream same = stream.child(i);
            uniforms.push_back(same.uniform());
            product.add((uniforms.back() - 0.5) * (cousin.uniform() - 0.5));
        }
        CHECK(kolmogorov_smirnov(uniforms, [](double x) { return x; }) > level);
        CHECK(two_sided(product.z(0)) > level);
        CHECK(two_sided(differing.z(32)) > level);
        for (int k = 0; k < 64; ++k) CHECK(two_sided(bit[k].z(0.5)) > level);
    }
}

TEST_CASE("a filled matrix is a prefix of a longer one, whatever its shape") {
    const Stream stream = Stream(8).child("fill");
    const Eigen::MatrixXd whole = normals(stream, 7, 200);
    for (const Index columns : {1, 2, 3, 36, 37, 38, 100})
        CHECK(normals(stream, 7, columns) == whole.leftCols(columns));
    const Eigen::MatrixXd line = normals(stream, 1400, 1);
    CHECK(Eigen::Map<const Vector>(whole.data(), whole.size()) == line);

    // Rows of a larger matrix: columns do not follow one another in memory.
    Eigen::MatrixXd frame = Eigen::MatrixXd::Zero(9, 200);
    fill_normal(stream, frame.middleRows(1, 7));
    CHECK(frame.middleRows(1, 7) == whole);
    CHECK(frame.row(0).isZero(0));
    CHECK(frame.row(8).isZero(0));

    // The position of the stream does not matter, and fill_uniform gives what uniform() gives.
    Stream moved = stream;
    moved.bits();
    CHECK(normals(moved, 7, 200) == whole);
    Eigen::MatrixXd uniforms(3, 123);
    fill_uniform(stream, uniforms);
    Stream single = stream;
    for (const double u : entries(uniforms)) CHECK(u == single.uniform());

    // normal() is the first of each pair.
    Stream pairs = stream;
    for (Index k = 0; k < line.size(); k += 2) CHECK(pairs.normal() == line(k));
}

TEST_CASE("lengths do not depend on how many are drawn") {
    const Stream stream = Stream(8).child("lengths");
    for (const Index d : {1, 2, 5, 64}) {
        Vector many(3000), few(100);
        fill_chi(stream, d, many);
        fill_chi(stream, d, few);
        CHECK(many.head(100) == few);
    }
}

TEST_CASE("bits are the same for every compiler and instruction set") {
    // Fowler-Noll-Vo hash of what g++ and clang++ gave at -O1 to -O3, for plain x86-64, x86-64-v2 and -v3 and AVX-512.
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3; };
    for (const double x : entries(normals(Stream(2024).child("digest"), 64, 1000))) add(x);
    Vector lengths(1000);
    fill_chi(Stream(2024).child("digest"), 64, lengths);
    for (const double x : lengths) add(x);
    CHECK(hash == 0x7ca76e55a68548d4);
}

TEST_CASE("below is uniform and refuses zero") {
    Stream stream(9);
    for (const std::uint64_t n : {1u, 2u, 7u, 10u, 64u}) {
        std::vector<double> counts(n, 0.0), expected(n, 70000.0 / static_cast<double>(n));
        for (int i = 0; i < 70000; ++i) counts[stream.below(n)] += 1;
        if (n > 1) CHECK(chi_squared(counts, expected) > level);
    }

    // Without the rejection step a third of the numbers below 3 * 2^62 would come twice as often.
    const std::uint64_t n = std::uint64_t{3} << 62;
    std::vector<double> thirds(3, 0.0);
    for (int i = 0; i < 30000; ++i) thirds[stream.below(n) >> 62] += 1;
    CHECK(chi_squared(thirds, {10000, 10000, 10000}) > level);
    CHECK_THROWS_AS(stream.below(0), std::invalid_argument);
}
