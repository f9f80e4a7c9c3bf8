// Every study and every method says which code its values come from.
#include "study/code.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <regex>
#include <set>

#include "catch.hpp"
#include "rfbench/features/catalogue.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench_places.hpp"
#include "study/listing.hpp"
#include "study/method.hpp"
#include "study/study.hpp"
#include "support/refusal.hpp"

using namespace rfbench;
using namespace rfbench::experiments;
using rfbench::tests::refusal;

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

TEST_CASE("what a file defines is in its list, with that file") {
    namespace fs = std::filesystem;
    const fs::path root = RFBENCH_SOURCE_DIR;
    struct Kind {
        const char *folder, *signature, *list, *entry;  ///< entry: what stands in the list for name() of a file
    };
    const Kind kinds[] = {
        {"experiments", "Study", "experiments/studies.cpp", "    add(all, {}(), \"{}\");\n"},
        {"experiments/methods", "std::vector<MethodInfo>", "experiments/methods.cpp", "    add(all, {}(), \"{}\");\n"},
        {"framework/features/mechanisms", "const MechanismInfo&", "framework/features/catalogue.cpp",
         "        {}(),\n"},
        {"framework/sampling", "Scheme", "framework/sampling/scheme.cpp", " {}(),"}};
    for (const auto& [folder, signature, list, entry] : kinds) {
        const std::string listed = store::read_whole((root / list).string());
        std::size_t found = 0;
        for (const auto& file : fs::recursive_directory_iterator(root / folder)) {
            const std::string path = fs::relative(file.path(), root).string();
            if (file.path().extension() != ".cpp" || path == list) continue;
            const std::string text = "\n" + store::read_whole(file.path().string());
            // A definition begins a line: "\nStudy name() {".
            const std::regex definition("\n" + std::string(signature) + " ([a-z0-9_]+)\\(\\) \\{");
            for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at, ++found) {
                CAPTURE(path, (*at)[1].str());
                const std::string wanted = fmt::format(fmt::runtime(entry), (*at)[1].str(), path);
                INFO(list << " lacks the line " << wanted);
                const bool is_listed = listed.find(wanted) != std::string::npos;
                CHECK(is_listed);
            }
        }
        CHECK(found > 5);
    }
}

TEST_CASE("a name that is given twice is refused, with the file that is to be renamed") {
    std::vector<Study> studies{catalogue()};
    std::vector<MethodInfo> methods{method_catalogue()};
    CHECK(
        refusal([&] { add(studies, find("variance", "gain"), "experiments/variance/gain.cpp"); }) ==
        "two studies are called 'variance/gain', one of them in experiments/variance/gain.cpp: each has a name of its "
        "own. Rename it there and build again.");
    const std::string of_methods =
        refusal([&] { add(methods, {find_method("copy")}, "experiments/methods/copy.cpp"); });
    CHECK(of_methods.starts_with("two methods are called 'copy', one of them in experiments/methods/copy.cpp:"));
    Study another = find("variance", "gain");
    another.name = "another";
    CHECK(refusal([&] { add(studies, another, "experiments/variance/gain.cpp"); }) == "accepted");
}
