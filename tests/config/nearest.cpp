#include "rfbench/text/nearest.hpp"

#include "catch.hpp"

using namespace rfbench;

TEST_CASE("the edit distance counts insertions, deletions, substitutions and swaps") {
    CHECK(edit_distance("gamma", "gamma") == 0);
    CHECK(edit_distance("gama", "gamma") == 1);
    CHECK(edit_distance("gammaa", "gamma") == 1);
    CHECK(edit_distance("gemma", "gamma") == 1);
    CHECK(edit_distance("gmama", "gamma") == 1);  // a swap is one edit, not two
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("ca", "abc") == 3);  // restricted form: nothing is inserted into a swap
    CHECK(edit_distance("Poisson_Shifted", "poisson-shifted") == 0);
}

TEST_CASE("the edit distance is symmetric and obeys the length bound") {
    const std::vector<std::string> words{"", "a", "ab", "ba", "iid", "orthogonal", "orthogonl", "simplex", "sobol"};
    for (const std::string& a : words) {
        for (const std::string& b : words) {
            const std::size_t distance = edit_distance(a, b);
            CHECK(distance == edit_distance(b, a));
            CHECK(distance <= std::max(a.size(), b.size()));
            CHECK(distance >= std::max(a.size(), b.size()) - std::min(a.size(), b.size()));
        }
    }
}

TEST_CASE("the nearest name is suggested, and none when none is near") {
    const std::vector<std::string> names{"gamma", "repeats", "trigonometric", "iid", "orthogonal", "x"};
    CHECK(nearest("gama", names) == "gamma");
    CHECK(nearest("GAMMA", names) == "gamma");
    CHECK(nearest("orthogonol", names) == "orthogonal");
    CHECK(nearest("trig", names) == "trigonometric");
    CHECK(nearest("ii", names) == "iid");
    CHECK(nearest("y", names).empty());
    CHECK(nearest("", names).empty());
    CHECK(nearest("bandwidth", names).empty());
    CHECK(nearest("gama", {}).empty());
    CHECK(nearest(std::string(100000, 'g'), names).empty());
    CHECK(did_you_mean("gama", names) == " Did you mean 'gamma'?");
    CHECK(did_you_mean("bandwidth", names).empty());
}

TEST_CASE("as near as a third of the shorter name, or by one edit, is near, and no more") {
    CHECK(nearest("gamma", {"gamxa"}) == "gamxa");
    CHECK(nearest("gamma", {"gaxxa"}).empty());
    CHECK(nearest("abcdef", {"abxyef"}) == "abxyef");
    CHECK(nearest("abcdef", {"axyzef"}).empty());
    CHECK(nearest("querys", {"keys", "queries"}) == "queries");
    CHECK(nearest("ab", {"abc"}) == "abc");
    CHECK(nearest("ab", {"abcd"}).empty());
    // The beginning of a name, with one edit.
    CHECK(nearest("gama", {"columns", "gammas"}) == "gammas");
    CHECK(nearest("colums.", {"columns_there"}).empty());
    CHECK(nearest("abx", {"abcdef"}).empty());
    // A whole beginning comes before two edits, and after one.
    CHECK(nearest("variance/mb", {"variance/b1", "variance/mb-seed-2"}) == "variance/mb-seed-2");
    CHECK(nearest("gamma", {"gammas-of-all", "gamme"}) == "gamme");
    // Other words.
    CHECK(nearest("heads", {"threads"}).empty());
    CHECK(nearest("nosuch.yaml", {"cost.yaml"}).empty());
}

TEST_CASE("of names equally near the first is suggested") {
    CHECK(nearest("sin", {"sim", "sip"}) == "sim");
    CHECK(nearest("sin", {"sip", "sim"}) == "sip");
}
