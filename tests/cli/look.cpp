// A look for a new mechanism is proposed, and a mechanism without one is drawn with a note.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "program.hpp"
#include "rfbench_places.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::tests;

namespace {

/// A project whose table of looks lacks one mechanism, of which all else is ours.
struct OwnProject {
    TemporaryFolder folder;

    explicit OwnProject(const std::string& without) {
        namespace fs = std::filesystem;
        const fs::path source = RFBENCH_SOURCE_DIR, root = folder / "";
        fs::create_directories(root / "framework");
        fs::copy(source / "framework/drawing", root / "framework/drawing", fs::copy_options::recursive);
        for (const char* name : {"configs", "data"}) fs::create_directory_symlink(source / name, root / name);
        const fs::path looks = root / "framework/drawing/looks.json";
        std::ifstream file(looks);
        auto table = nlohmann::json::parse(file);
        for (auto& family : table["families"]) family.erase(without);
        std::ofstream(looks) << table.dump(2);
    }
    Outcome rfbench(const std::string& arguments) const { return run_program(arguments, (folder / "").string()); }
};

}  // namespace

TEST_CASE("a look is proposed for a mechanism that has none, in the family of its kind", "[cli]") {
    const OwnProject project("poisson-shifted");
    const Outcome proposed = project.rfbench("look poisson-shifted");
    INFO(proposed.out);
    REQUIRE(proposed.code == 0);
    CHECK(proposed.out.starts_with("\"poisson-shifted\": {\"colour\": \"#"));
    CHECK(contains(proposed.out, "a line of the family discrete"));
    CHECK(contains(project.rfbench("describe poisson-shifted").out, "'rfbench look poisson-shifted' proposes some"));

    const Outcome known = run_program("look positive");
    CHECK(known.code == 0);
    CHECK(contains(known.out, "it has this look already, in the family positive"));
    CHECK(!contains(run_program("describe positive").out, "rfbench look"));
}

TEST_CASE("a name of no known kind needs a family of the table", "[cli]") {
    const Outcome misspelt = run_program("look positiv");
    CHECK(misspelt.code == 2);
    CHECK(contains(misspelt.out, "Did you mean 'positive'?"));
    CHECK(contains(misspelt.out, "--family"));
    CHECK(run_program("look mine --family attention").code == 0);
    const Outcome family = run_program("look mine --family attentoin");
    CHECK(family.code == 2);
    CHECK(contains(family.out, "there is no family 'attentoin' of looks; there are signed, "));
}

TEST_CASE("a mechanism without a look is drawn, and a note names the command that proposes one", "[cli]") {
    const OwnProject project("positive");
    project.folder.write("mine.yaml",
                         "experiment: variance\nstudy: regimes\nmethods: [positive, optimal-positive]\n"
                         "points: [normal]\ngammas: [0.5, 1]\nrows: 8\nrepeats: 2\n");
    const Outcome run =
        project.rfbench("run " + project.folder.file("mine.yaml") + " --results " + project.folder.file("results"));
    INFO(run.out);
    CHECK(run.code == 0);
    CHECK(contains(run.out, "note: positive has no look of its own"));
    CHECK(contains(run.out, "'rfbench look positive' proposes some"));
    CHECK(!contains(run.out, "optimal-positive has no look"));
    CHECK(std::filesystem::exists(project.folder / "results/variance/mine/figures/mine.svg"));
}
