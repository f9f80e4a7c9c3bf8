// Our side of the comparison with peers (peers.py): a line on standard input names a row, the answer is the time in
// seconds of one run of it, and the least its operations take at the rate of the multiply-add units, 0 where they are
// not all it does. Inputs are made and buffers warmed when a row is first named.
#include <fmt/format.h>
#include <omp.h>

#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "../roofline.hpp"
#include "ours_networks.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/regression/feature_regression.hpp"

namespace {

using namespace rfbench;
using peers::Row;

Points normal_points(Index rows, Index columns, std::uint64_t seed) {
    Projections values(columns, rows);
    fill_normal(Stream(seed), values);
    return values.transpose();
}

/// Positive features of 65536 rows in float into kept buffers: d = 64, M = 256.
Row features_row() {
    const Points points = 0.2 * normal_points(65536, 64, 1);
    const auto mechanism = features::fit(features::find("positive"), {});
    const std::shared_ptr<features::FeatureMap> map =
        mechanism->map(features::draw(*mechanism, 64, 256, sampling::find("iid"), Stream(2)));
    const auto out = std::make_shared<features::FeatureBlock<float>>();
    return {[rows = Rows<float>(points.cast<float>()), map, out] { map->evaluate(features::Side::query, rows, *out); },
            2.0 * 65536 * 64 * 256, 65536.0 * 256};
}

/// Block-orthogonal projections with independent lengths, in double: d = 64, M = 4096.
Row orthogonal_row() {
    const auto omega = std::make_shared<Projections>(64, 4096);
    const auto seed = std::make_shared<std::uint64_t>(0);
    return {[=] { sampling::find("orthogonal").normals(Stream(++*seed), *omega); }};
}

/// Kernel regression of the size of krkopt: 25249 training and 2806 other rows of 6 columns, 18 classes; positive
/// features, M = 128, 10 gammas, 50 draws each.
Row sweep_row() {
    const Points rows = normal_points(25249, 6, 3), queries = normal_points(2806, 6, 4);
    std::vector<int> classes;
    for (int i = 0; i < 25249; ++i) classes.push_back(i % 18);
    return {[training = regression::by_class(rows, classes), queries] {
        constexpr int gammas = 10, parts = 5, draws = 10;
#pragma omp parallel for schedule(dynamic)
        for (int cell = 0; cell < gammas * parts; ++cell) {
            const int step = cell / parts, first = cell % parts * draws;
            const double gamma = std::pow(10.0, -2 + 4.0 * step / (gammas - 1));
            regression::ClassifiedRows scaled = training;
            scaled.rows *= gamma;
            const auto mechanism = features::fit(features::find("positive"), {});
            regression::FeatureRegression regression(std::move(scaled), {gamma * queries});
            for (int draw = first; draw < first + draws; ++draw)
                regression.predict(*mechanism->map(features::draw(*mechanism, 6, 128, sampling::find("iid"),
                                                                  Stream(5).child(static_cast<std::uint64_t>(draw)))));
        }
    }};
}

std::map<std::string, Row (*)()> all_rows() {
    std::map<std::string, Row (*)()> rows{{"features", features_row},
                                          {"features_plain", features_row},
                                          {"sweep", sweep_row},
                                          {"sweep_plain", sweep_row},
                                          {"orthogonal", orthogonal_row}};
    rows.merge(peers::attention_rows());
    rows.merge(peers::network_rows());
    return rows;
}

}  // namespace

int main() {
    const auto rows = all_rows();
    std::map<std::string, Row> ready;
    std::cout << "loaded" << std::endl;
    for (std::string name; std::getline(std::cin, name);) {
        const auto row = rows.find(name);
        if (row == rows.end()) {
            std::cerr << "there is no row '" << name << "'\n";
            return 2;
        }
        const auto [own, first] = ready.try_emplace(name);
        if (first) (own->second = row->second()).run();
        const auto start = std::chrono::steady_clock::now();
        own->second.run();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        const double least = roofline_seconds(own->second.operations, own->second.exponentials);
        std::cout << fmt::format("{:.9f} {:.9f}", took.count(), least) << std::endl;
    }
}
