#include "learned/stored_shape.hpp"

#include <algorithm>
#include <stdexcept>

#include "configuration.hpp"
#include "learned/methods.hpp"
#include "rfbench/config/load.hpp"

namespace rfbench::experiments {
namespace {

std::string attribute(const store::Dataset& file, const char* name) {
    const auto found = file.attributes.find(name);
    return found == file.attributes.end() ? "" : found->second;
}

}  // namespace

features::Settings stored_shape(const store::Dataset& file, const std::string& method) {
    const std::string of = attribute(file, "study");
    for (const Study& study : learned_studies())
        if (of == study.experiment + "/" + study.name)
            return trained_shape(config::parse(attribute(file, "config"), "the file's configuration", schema_of(study)),
                                 method);
    throw std::invalid_argument("the file is a result of '" + of +
                                "'; maps are trained by learned/match and "
                                "learned/classify");
}

}  // namespace rfbench::experiments
