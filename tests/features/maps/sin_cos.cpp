#include "rfbench/features/maps/sin_cos.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "rfbench/random/stream.hpp"

using namespace rfbench;

TEST_CASE("Sines and cosines in vectors", "[features]") {
    std::vector<double> angles{0, -0.0, 1e-300, M_PI_4, M_PI_2, M_PI, 3 * M_PI_2, 1e5, -1e5, 999999};
    Stream stream(1);
    for (const double scale : {1.0, 100.0, 1e5})
        for (int i = 0; i < 20000; ++i) angles.push_back(scale * stream.normal());
    for (int k = -2000; k <= 2000; ++k) angles.push_back(k * M_PI_4);
    std::vector<double> sine(angles.size()), cosine(angles.size());
    features::sin_cos(angles.data(), static_cast<Index>(angles.size()), sine.data(), cosine.data());
    double worst = 0;
    for (std::size_t i = 0; i < angles.size(); ++i) {
        const long double exact_sine = std::sin(static_cast<long double>(angles[i]));
        const long double exact_cosine = std::cos(static_cast<long double>(angles[i]));
        worst = std::max({worst, static_cast<double>(std::abs(sine[i] - exact_sine)),
                          static_cast<double>(std::abs(cosine[i] - exact_cosine))});
    }
    // Two roundings of values up to one and the series' own.
    CHECK(worst < 4e-16);
    CHECK(sine[2] == 1e-300);
}

TEST_CASE("Angles beyond the vectors' range are right too", "[features]") {
    const double angles[] = {1e7, -3e12, NAN, 0.5, 1.3, 77};
    double sine[6], cosine[6];
    features::sin_cos(angles, 6, sine, cosine);
    for (int i = 0; i < 2; ++i) {
        CHECK(sine[i] == std::sin(angles[i]));
        CHECK(cosine[i] == std::cos(angles[i]));
    }
    CHECK((std::isnan(sine[2]) && std::isnan(cosine[2])));
    // Those beside them have the bits that they have alone.
    double alone_sine[3], alone_cosine[3];
    features::sin_cos(angles + 3, 3, alone_sine, alone_cosine);
    CHECK(std::equal(alone_sine, alone_sine + 3, sine + 3));
    CHECK(std::equal(alone_cosine, alone_cosine + 3, cosine + 3));
}

TEST_CASE("Sines and cosines in float", "[features]") {
    std::vector<float> angles{0, -0.0f, 1e-30f, 0.5f, 9999, -9999};
    Stream stream(2);
    for (const double scale : {1.0, 100.0, 1500.0})
        for (int i = 0; i < 20000; ++i) angles.push_back(static_cast<float>(scale * stream.normal()));
    for (int k = -2000; k <= 2000; ++k) angles.push_back(static_cast<float>(k * M_PI_4));
    std::vector<float> sine(angles.size()), cosine(angles.size());
    features::sin_cos(angles.data(), static_cast<Index>(angles.size()), sine.data(), cosine.data());
    double worst = 0;
    for (std::size_t i = 0; i < angles.size(); ++i) {
        const auto angle = static_cast<double>(angles[i]);
        worst = std::max({worst, std::abs(static_cast<double>(sine[i]) - std::sin(angle)),
                          std::abs(static_cast<double>(cosine[i]) - std::cos(angle))});
    }
    // Three roundings of values up to one and the series' own.
    CHECK(worst < 2e-7);
    CHECK(sine[2] == 1e-30f);
    const float far[] = {1e5f, 0.5f};
    features::sin_cos(far, 2, sine.data(), cosine.data());
    CHECK(sine[0] == std::sin(1e5f));
    CHECK(cosine[1] == std::cos(0.5f));
}
