#include "rfbench/sampling/scheme.hpp"

#include <stdexcept>

#include "rfbench/errors.hpp"
#include "rfbench/sampling/schemes.hpp"
#include "rfbench/text/nearest.hpp"

namespace rfbench::sampling {

const std::vector<Scheme>& catalogue() {
    static const std::vector<Scheme> schemes{
        iid(),      orthogonal(),    simplex(), antithetic(),  sobol(),       halton(),
        hadamard(), sphere_points(), dct(),     dct_columns(), dct_rotated(),
    };
    return schemes;
}

const Scheme& find(std::string_view name) {
    std::vector<std::string> names;
    for (const Scheme& scheme : catalogue()) {
        if (scheme.name == name) return scheme;
        names.push_back(scheme.name);
    }

    std::string message =
        "there is no sampling '" + std::string(name) + "'." + did_you_mean(name, names) + " There are";
    for (const std::string& known : names) message += (known == names.front() ? " " : ", ") + known;
    throw InputError(message + ".");
}

}  // namespace rfbench::sampling
