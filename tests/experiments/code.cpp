// Every study and every method says which code its values come from.
#include "code.hpp"

#include <set>

#include "catch.hpp"
#include "method.hpp"
#include "rfbench/features/catalogue.hpp"
#include "study.hpp"

using namespace rfbench;
using namespace rfbench::experiments;

namespace {

bool is_digest(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

TEST_CASE("every study has a digest of its own") {
    std::set<std::string> all;
    for (const Study& study : catalogue()) {
        CAPTURE(study.experiment, study.name);
        CHECK(is_digest(study.code));
        CHECK(all.insert(study.code).second);
    }
    CHECK(find("variance", "regimes").code == digest_of_file("experiments/variance/regimes.cpp"));
}

TEST_CASE("every method has the digest of its file, and a mechanism that of its own file with it") {
    std::set<std::string> all;
    for (const MethodInfo& method : method_catalogue()) {
        CAPTURE(method.name);
        if (method.code != "unknown") CHECK(is_digest(method.code));
        all.insert(method.code);
    }
    CHECK(find_method("copy").code == digest_of_file("experiments/methods/copy.cpp"));
    CHECK(find_method("positive").code == joined(digest_of_file("framework/features/mechanisms/positive.cpp"),
                                                 digest_of_file("experiments/methods/mechanism.cpp")));
    CHECK(find_method("positive").code != find_method("poisson").code);
    CHECK(find_method("poisson").code == find_method("poisson-shifted").code);  // one file
    for (const features::MechanismInfo& mechanism : features::catalogue())
        CHECK(is_digest(digest_of_mechanism(mechanism.name)));
    CHECK_THROWS_AS(digest_of_mechanism("absent"), std::logic_error);
}
