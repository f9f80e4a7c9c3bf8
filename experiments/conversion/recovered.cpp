#include "conversion/recovered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rfbench/statistics/median.hpp"
#include "study/method_identity.hpp"

namespace rfbench::experiments {

Recovered::Recovered(const store::Dataset& data)
    : data_(data),
      tuned_(std::stod(data.attributes.at("tuned_columns"))),
      exact_(label_of(data, "exact").value()),
      uniform_(label_of(data, "uniform").value()) {}

BySeed Recovered::values(const std::string& variable, report::Fixed at) const {
    const auto names = [](const char* name) { return [name](const auto& one) { return one.first == name; }; };
    if (std::none_of(at.begin(), at.end(), names("columns"))) at.emplace_back("columns", tuned_);
    return report::slice(data_, variable, at).values;
}

report::Averages Recovered::averages(const std::vector<BySeed>& curve) const {
    report::Averages all;
    for (const BySeed& values : curve) {
        const report::Averages one = average(values);
        all.mean.push_back(one.mean.front());
        all.standard_deviation.push_back(one.standard_deviation.front());
        all.count.push_back(one.count.front());
        all.along = one.along;
    }
    return all;
}

bool Recovered::of_text(const std::string& source) const {
    const BySeed bits = values("bits", {{"source", source}, {"method", exact_}});
    return std::any_of(bits.begin(), bits.end(), [](double one) { return !std::isnan(one); });
}

BySeed Recovered::metric(const std::string& source, const std::string& method, const std::string& stage,
                         double columns) const {
    return values(of_text(source) ? "bits_per_character" : "accuracy",
                  {{"source", source}, {"method", method}, {"stage", stage}, {"columns", columns}});
}

BySeed Recovered::recovery(const std::string& source, const std::string& method, const std::string& stage,
                           double columns) const {
    return recovered_share(metric(source, method, stage, columns), metric(source, exact_, stage),
                           metric(source, uniform_, stage));
}

BySeed Recovered::ratio(const std::string& source, BySeed own, const BySeed& softmax) const {
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = of_text(source) ? softmax[i] / own[i] : own[i] / softmax[i];
    return own;
}

bool Recovered::acts(const std::string& source, const std::string& method, const std::string& stage) const {
    const BySeed all = values("acts", {{"source", source}, {"method", method}, {"stage", stage}});
    return std::any_of(all.begin(), all.end(), [](double one) { return one == 1; });
}

std::vector<BySeed> Recovered::curve(const std::string& training, const std::string& source,
                                     const std::string& method) const {
    const bool text = of_text(source);
    const BySeed bits = values("bits", {{"source", source}, {"method", method}});
    std::vector<BySeed> all;
    for (const double share : report::numbers(data_, "share")) {
        all.push_back(values(training + (text ? "_loss" : "_accuracy"),
                             {{"source", source}, {"method", method}, {"share", share}}));
        if (text)
            for (std::size_t i = 0; i < bits.size(); ++i) all.back()[i] *= bits[i];
    }
    return all;
}

std::vector<BySeed> Recovered::tuning(const std::string& source, const std::string& method) const {
    std::vector<BySeed> all = curve("tuning", source, method);
    all.insert(all.begin(), metric(source, method, "distilled"));
    return all;
}

std::vector<double> Recovered::tokens(const std::string& source) const {
    std::vector<double> all{0};
    const double whole = values("tuning_tokens", {{"source", source}, {"method", exact_}}).front();
    for (const double share : report::numbers(data_, "share")) all.push_back(share * whole);
    return all;
}

report::Entry Recovered::tokens_to_within(const std::string& source, const std::string& method, double share) const {
    const auto curve = tuning(source, method);
    const std::vector<double> at = tokens(source);
    const BySeed teacher = this->teacher(source);
    const BySeed diverged_at = values("diverged_at", {{"source", source}, {"method", method}});
    BySeed first;
    for (std::size_t seed = 0; seed < teacher.size(); ++seed) {
        // A network that diverged while it was distilled has no curve, and is never within.
        if (std::isnan(curve.front()[seed]) && std::isnan(curve.back()[seed]) && std::isnan(diverged_at[seed]))
            continue;
        std::size_t look = 0;
        const auto within = [&](double own) {
            return of_text(source) ? own <= teacher[seed] * (1 + share) : own >= teacher[seed] * (1 - share);
        };
        while (look < curve.size() && !within(curve[look][seed])) ++look;
        first.push_back(look < curve.size() ? at[look] : std::numeric_limits<double>::infinity());
    }
    if (first.empty()) return report::Missing{};
    return statistics::median(std::move(first));
}

}  // namespace rfbench::experiments
