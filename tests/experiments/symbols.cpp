// attention/symbols: attention of trained networks between characters.
#include <cmath>

#include "catch.hpp"
#include "conversions.hpp"
#include "rfbench/report/slice.hpp"
#include "sources/stored_network.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using namespace rfbench::conversions;
using rfbench::tests::contains;

namespace {

const Study& symbols() { return find("attention", "symbols"); }

/// Sources of texts of words of vowels and consonants, for networks of two layers of two heads.
std::string texts(const tests::TemporaryFolder& folder) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += std::string(1, "aeiou"[i % 5]) + "bcdfg"[i * i % 5] + (i % 7 ? "" : " ");
    const std::string keys = ", text: " + folder.write("words.txt", text) +
                             ", length: 20, validation_share: 0.2, test_share: 0.2, batch: 3, steps: ";
    return "{use: masked-text" + keys + "3, embedding: 0.5}, {use: text" + keys +
           "0}, {use: recall, length: 12, vocabulary: 8, pairs: 2, steps: 0}";
}

const std::string both =
    "networks: [{from: training/teachers, source: masked-text}, {from: training/teachers, source: text}]\nseeds: 2\n";

}  // namespace

TEST_CASE("attention/symbols: a cell sums softmax weights over pairs of characters", "[experiments]") {
    const tests::TemporaryFolder folder;
    const Trained trained(texts(folder));
    const std::string kinds = "aebc";
    const Sweep sweep = prepared(symbols(), both + "alike: [ae, bc]\n");
    for (const char* source : {"masked-text", "text"}) {
        CAPTURE(source);
        const auto data = computed(sweep, {std::string("network=") + source, "seed=1"});
        const StoredNetwork stored = read_network(trained.data(), source, 1);
        const bool causal = std::string(source) == "text";
        Points sums = Points::Zero(4, 4), placed = sums;
        const auto symbol = [&](int token) {
            const std::size_t at = token < 128 ? kinds.find(static_cast<char>(token)) : std::string::npos;
            return at == std::string::npos ? -1 : static_cast<int>(at);
        };
        for (Index r = 0; r < 2; ++r)
            for (Index h = 0; h < 2; ++h) {
                std::vector<Points> all;
                for (const auto& sequence : stored.sequences) {
                    const auto rows = stored.network.heads(
                        stored.weights, sequence)[static_cast<std::size_t>(r)][static_cast<std::size_t>(h)];
                    Points weights = (rows.queries.cast<double>() * rows.keys.cast<double>().transpose() /
                                      std::sqrt(static_cast<double>(rows.queries.cols())))
                                         .array()
                                         .exp();
                    if (causal) weights = weights.triangularView<Eigen::Lower>().toDenseMatrix();
                    weights.array().colwise() /= weights.rowwise().sum().array();
                    all.push_back(weights);
                }
                Points mean = Points::Zero(20, 20);
                for (const Points& one : all) mean += one / static_cast<double>(all.size());
                double alike = 0, alike_placed = 0, unlike = 0, unlike_placed = 0;
                for (std::size_t s = 0; s < all.size(); ++s)
                    for (Index i = 0; i < 20; ++i)
                        for (Index j = 0; j < 20; ++j) {
                            const int a = symbol(stored.sequences[s].tokens[static_cast<std::size_t>(i)]),
                                      b = symbol(stored.sequences[s].tokens[static_cast<std::size_t>(j)]);
                            if (a < 0 || b < 0 || i == j) continue;
                            sums(a, b) += all[s](i, j);
                            placed(a, b) += mean(i, j);
                            if (a == b) continue;
                            (a / 2 == b / 2 ? alike : unlike) += all[s](i, j);
                            (a / 2 == b / 2 ? alike_placed : unlike_placed) += mean(i, j);
                        }
                CHECK(values(data, "alike")[static_cast<std::size_t>(2 * r + h)] ==
                      Approx(alike / alike_placed / (unlike / unlike_placed)).epsilon(1e-4));
            }
        for (Index a = 0; a < 4; ++a)
            for (Index b = 0; b < 4; ++b) {
                CHECK(values(data, "weights")[static_cast<std::size_t>(4 * a + b)] ==
                      Approx(sums(a, b)).epsilon(1e-4).margin(1e-9));
                CHECK(values(data, "by_place")[static_cast<std::size_t>(4 * a + b)] ==
                      Approx(placed(a, b)).epsilon(1e-4).margin(1e-9));
            }
    }
}

TEST_CASE("attention/symbols: a map and rows for each network", "[experiments]") {
    const tests::TemporaryFolder folder;
    const Trained trained(texts(folder));
    const store::Dataset data = collected(symbols(), both);
    const Report report = symbols().report(data);
    REQUIRE(report.figures.size() == 1);
    REQUIRE(report.figures.front().panels.size() == 2);
    const report::Panel& panel = report.figures.front().panels.front();
    CHECK(panel.title == "masked-text");
    REQUIRE(panel.x.ticks.size() == 26);
    CHECK(panel.x.ticks[1].text == "e");
    // Queries stand upwards: the vowel 'a' that looks at 'b', the first consonant.
    double ratio = 0;
    for (const double seed : {0.0, 1.0}) {
        const report::Fixed at{{"network", "masked-text"}, {"seed", seed}, {"query", "a"}, {"key", "b"}};
        const double weight = report::slice(data, "weights", at).values.front();
        ratio += std::log2(weight / report::slice(data, "by_place", at).values.front()) / 2;
    }
    CHECK(panel.map->z[26 * 5 + 0] == Approx(ratio).margin(1e-12));
    // 'z' is nowhere in the text: a hole.
    CHECK(std::isnan(panel.map->z.back()));
    REQUIRE(report.tables.size() == 1);
    CHECK(report.tables.front().rows.size() == 4);
    CHECK(std::holds_alternative<report::Estimate>(report.tables.front().rows[0].entries[2]));
}

TEST_CASE("attention/symbols: what are no kinds of characters, and no networks of texts, is refused at its place",
          "[experiments]") {
    const tests::TemporaryFolder folder;
    const Trained trained(texts(folder));
    const auto said = [&](const std::string& yaml) { return refused(symbols(), yaml); };
    CHECK(said(both) == "accepted");
    CHECK(contains(said(both + "alike: [aeiou]\n"), "alike: there is one kind; two are needed"));
    CHECK(contains(said(both + "alike: [a, b]\n"), "alike: every kind has one character"));
    CHECK(contains(said(both + "alike: [ae, \"\"]\n"), "alike.1: "));
    CHECK(said(both + "alike: [ae, b]\n") == "accepted");
    CHECK(contains(said(both + "alike: [ae, eb]\n"), "alike.1: 'e' stands there twice"));
    CHECK(contains(said(both + "alike: [ae, \"\xc3\xa4\"]\n"), "alike.1: characters of one byte"));
    CHECK(contains(said("networks: [{from: training/teachers, source: recall}]\nseeds: 2\n"),
                   "networks.0.source: tokens of 'recall' are no bytes of a text"));
    CHECK(contains(said("networks: [{from: training/teachers, source: text}]\nseeds: 3\n"),
                   "networks.0: 3 networks are asked for ('seeds'); training/teachers has 2 of 'text'"));
    CHECK(contains(said("networks: [{from: training/teachers, source: text}, {from: training/teachers, source: text}]\n"
                        "seeds: 2\n"),
                   "networks.1"));
}
