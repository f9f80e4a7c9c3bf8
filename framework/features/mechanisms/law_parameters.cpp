#include "rfbench/features/mechanisms/law_parameters.hpp"

#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "rfbench/errors.hpp"

namespace rfbench::features {
namespace {

Probability from_log_odds(double z) { return {1 / (1 + std::exp(-z)), 1 / (1 + std::exp(z))}; }

}  // namespace

Probability best_probability(const std::function<double(const Probability&)>& objective) {
    constexpr double farthest = 36.7;  // 53 log 2
    constexpr int half_the_bits = std::numeric_limits<double>::digits / 2;
    const auto at = [&](double z) { return objective(from_log_odds(z)); };
    return from_log_odds(boost::math::tools::brent_find_minima(at, -farthest, farthest, half_the_bits).first);
}

double log1m_remainder(double z) {
    if (z > 0.1) return -std::log1p(-z) - z;
    double sum = 0;
    double power = z * z;
    for (int k = 2; power / k > 1e-18 * sum; ++k, power *= z) sum += power / k;
    return sum;
}

std::optional<double> setting_between(const Settings& settings, const char* mechanism, std::string_view name,
                                      double low, double high) {
    const auto found = settings.find(name);
    if (found == settings.end()) return {};
    const double value = std::get<double>(found->second);
    if (value > low && value < high) return value;
    std::ostringstream message;
    message.precision(17);
    message << mechanism << ": " << name << " = " << value << "; it must be ";
    if (std::isinf(high))
        message << "finite and above " << low;
    else
        message << "between " << low << " and " << high << ", both excluded";
    throw InputError(message.str());
}

}  // namespace rfbench::features
