// The project's own sources: the edits that a result must notice, and those it must not.
#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "rfbench/code/study_part.hpp"
#include "rfbench/code/tokens.hpp"
#include "rfbench/code/tree.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench_places.hpp"

using namespace rfbench;
using namespace rfbench::code;
using Set = std::set<std::string>;

namespace {

const Sources& sources() {
    static const Sources all = [] {
        std::istringstream names(store::read_whole(RFBENCH_BINARY_DIR "/code_sources.txt"));
        Sources read;
        for (std::string name; std::getline(names, name);)
            read[name] = store::read_whole(RFBENCH_SOURCE_DIR "/" + name);
        return read;
    }();
    return all;
}

Set files_with(const std::string& folder, const char* text) {
    Set found;
    for (const auto& [path, source] : sources())
        if (path.starts_with(folder) && path.ends_with(".cpp") && source.find(text) != std::string::npos)
            found.insert(path);
    return found;
}
const Set& studies() {
    static const Set all = files_with("experiments/", "\nSweep prepare(");
    return all;
}
const Set& methods() {
    static const Set all = files_with("experiments/methods/", "\nstd::vector<MethodInfo> ");
    return all;
}
const Set& mechanisms() {
    static const Set all = files_with("framework/features/mechanisms/", "\nconst MechanismInfo& ");
    return all;
}
/// Sources of the digests.
Set all_of_them() {
    Set all = studies();
    all.insert(methods().begin(), methods().end());
    all.insert(mechanisms().begin(), mechanisms().end());
    return all;
}

std::map<std::string, std::string> digests(const Tree& tree) {
    std::map<std::string, std::string> all;
    for (const std::string& path : all_of_them()) all[path] = tree.digest(path);
    return all;
}

/// The studies, methods and mechanisms that an edit changes the digests of.
Set changed_by(const Sources& edited) {
    static const std::map<std::string, std::string> before = digests(Tree(sources()));
    Set changed;
    for (const auto& [path, digest] : digests(Tree(edited)))
        if (digest != before.at(path)) changed.insert(path);
    return changed;
}

/// Digests changed by one piece of a file, which must be there.
Set changed_by(const std::string& file, const std::string& old_text, const std::string& new_text) {
    Sources edited = sources();
    std::string& text = edited.at(file);
    const std::size_t at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    text.replace(at, old_text.size(), new_text);
    return changed_by(edited);
}

}  // namespace

TEST_CASE("a constant of a mechanism changes its digest, and of what stands on it, and no other") {
    CHECK(changed_by("framework/features/mechanisms/positive.cpp", "4 * pair.xy", "5 * pair.xy") ==
          Set{"framework/features/mechanisms/positive.cpp"});
    CHECK(changed_by("framework/features/mechanisms/poisson.cpp", "1e-18", "1e-17") ==
          Set{"framework/features/mechanisms/poisson.cpp"});
    CHECK(changed_by("framework/features/mechanisms/luna.cpp", "namespace {", "namespace { int one;") ==
          Set{"experiments/methods/luna.cpp", "framework/features/mechanisms/luna.cpp"});
    CHECK(changed_by("framework/features/mechanisms/positive_fixed.cpp", "namespace {", "namespace { int one;") ==
          Set{"framework/features/mechanisms/discrete_cosine.cpp", "framework/features/mechanisms/positive_fixed.cpp",
              "framework/features/mechanisms/positive_weighted.cpp"});
}

TEST_CASE("what all draw from is behind every study, method and mechanism") {
    CHECK(changed_by("framework/random/normal.cpp", "namespace rfbench {", "namespace rfbench { int one;") ==
          all_of_them());
}

TEST_CASE("an edit of what is computed changes the study's digest alone, one of what is shown none") {
    for (const std::string& study : studies()) {
        CAPTURE(study);
        CHECK(study_part(tokens(sources().at(study))).size() < tokens(sources().at(study)).size());
        CHECK(changed_by(study, "\nSweep prepare(", "\nint one() { return 1; }\nSweep prepare(") == Set{study});
        CHECK(changed_by(study, "\nStudy ", "\nint one() { return 1; }\nStudy ").empty());
        CHECK(changed_by(study, "\n#include", "\n// Said of it.\n#include").empty());
    }
}

TEST_CASE("reports, command line, engine, store and configuration are behind no value") {
    Sources edited = sources();
    for (auto& [path, text] : edited)
        if (is_left_out(path)) text += "\nint one;\n";
    CHECK(is_left_out("framework/report/table.cpp"));
    CHECK(is_left_out("framework/cli/run.cpp"));
    CHECK(changed_by(edited).empty());
}

TEST_CASE("a source without a header of its own implements one, so that none is overlooked") {
    const Tree tree(sources());
    Set behind, overlooked;
    for (const std::string& path : all_of_them()) behind.merge(tree.behind(path));
    for (const auto& [path, text] : sources()) {
        const bool has_header = sources().contains(path.substr(0, path.size() - 3) + "hpp");
        if (!path.ends_with(".cpp") || has_header || is_left_out(path) || behind.contains(path)) continue;
        // Parts of a report.
        if (text.find("_report.hpp\"") == std::string::npos) overlooked.insert(path);
    }
    CHECK(overlooked == Set{});
}

TEST_CASE("every source of the framework is behind a value, and counts, but for those that are known, with a reason") {
    const std::map<std::string, const char*> known{
        {"attention/heads", "the library offers it, and no study takes it"},
        {"attention/redraw", "the library offers it, and no study takes it"},
        {"claims", "what is said of values that are there"},
        {"cli", "how cells are asked for"},
        {"code", "makes the digests"},
        {"comparison", "what is said of values that are there"},
        {"config", "what it reads is in a cell's identity"},
        {"datasets/npz_writer", "tables are exported by it"},
        {"decisions", "what is said of values that are there"},
        {"datasets/describe", "words about data"},
        {"datasets/fetch", "what it fetches is known by its hash"},
        {"eigen/products", "says where Eigen's products are compiled, and not what they compute"},
        {"engine", "how cells are run: any order and number of threads gives the same bits"},
        {"features/catalogue", "the list of mechanisms: who takes one stands on its file"},
        {"features/function_mechanism", "asks the functions of a plugin, whose hash counts"},
        {"features/mechanisms", "the list of mechanisms: who takes one stands on its file"},
        {"plugin", "runs a user's file, whose hash counts"},
        {"process", "runs other programs: what they print is known by its hash"},
        {"python", "the package"},
        {"report", "what is made of values that are there"},
        {"statistics/critical_difference", "reports take it, of values that are there"},
        {"statistics/paired_test", "reports take it, of values that are there"},
        {"statistics/two_samples", "comparisons take it, of values that are there"},
        {"store", "what it writes it reads again to the bit"},
        {"text", "words of messages"},
        {"version", "the number of the version"}};
    const Tree tree(sources());
    Set behind, overlooked, unknown;
    for (const std::string& path : all_of_them()) behind.merge(tree.behind(path));
    for (const auto& [path, text] : sources()) {
        if (!path.starts_with("framework/")) continue;
        if (behind.contains(path)) {
            if (!path.ends_with(".cpp")) continue;
            CAPTURE(path);
            Sources edited{sources()};
            edited.at(path).insert(0, "int one;\n");
            CHECK_FALSE(changed_by(edited).empty());
            continue;
        }
        const std::string name = path.substr(10, path.rfind('.') - 10), folder = name.substr(0, name.find('/'));
        if (known.contains(name) || known.contains(folder))
            overlooked.insert(known.contains(name) ? name : folder);
        else
            unknown.insert(path);
    }
    CHECK(unknown == Set{});
    // All that is listed above is behind no value indeed.
    Set listed;
    for (const auto& [name, reason] : known) listed.insert(name);
    CHECK(overlooked == listed);
}
