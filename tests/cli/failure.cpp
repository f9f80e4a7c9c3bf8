// Exit codes and sentences of exceptions, by who made the mistake.
#include "../../framework/cli/failure.hpp"

#include <filesystem>
#include <new>
#include <sstream>

#include "../../framework/cli/verbs.hpp"
#include "catch.hpp"
#include "program.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::tests;

namespace {

struct Ended {
    int code;
    std::string said;
};

/// How the program ends when `act` throws.
template <class Act>
Ended ended(Act act) {
    try {
        act();
    } catch (...) {
        std::ostringstream said;
        const int code = cli::failed(std::current_exception(), said);
        return {code, said.str()};
    }
    return {cli::success, ""};
}

constexpr const char* please = "This is a bug of rfbench";

}  // namespace

TEST_CASE("The user's mistakes end with 2, each with its own sentence alone", "[cli]") {
    const Ended input = ended([] { throw InputError("there is no mechanism 'x'."); });
    CHECK(input.code == 2);
    CHECK(input.said == "rfbench: there is no mechanism 'x'.\n");
    const Ended yaml = ended([] { config::parse("a: [1", "a.yaml", config::object({})); });
    CHECK(yaml.code == 2);
    CHECK(yaml.said.starts_with("a.yaml:1:"));
    CHECK(!contains(yaml.said, please));
}

TEST_CASE("Files, programs and memory that fail end with 1", "[cli]") {
    const TemporaryFolder folder;
    const std::string damaged = folder.write("a.h5", "no HDF5");
    const Ended file = ended([&] { store::read(damaged); });
    CHECK(file.code == 1);
    CHECK(contains(file.said, damaged));
    CHECK(!contains(file.said, please));
    const Ended system = ended([&] { std::filesystem::create_directory(damaged + "/deeper"); });
    CHECK(system.code == 1);
    CHECK(contains(system.said, damaged));
    const Ended memory = ended([] { throw std::bad_alloc(); });
    CHECK(memory.code == 1);
    CHECK(contains(memory.said, "there is not enough memory"));
}

TEST_CASE("What should not have happened ends with 70 and asks for a report, and is not the configuration's", "[cli]") {
    for (const Ended& mistake : {ended([] { throw std::logic_error("no such axis"); }),
                                 ended([] { throw std::invalid_argument("no such axis"); }),
                                 ended([] { throw std::out_of_range("no such axis"); }),
                                 ended([] { throw std::runtime_error("no such axis"); })}) {
        CHECK(mistake.code == 70);
        CHECK(mistake.said.starts_with("rfbench: no such axis\nThis is a bug of rfbench "));
        CHECK(contains(mistake.said, "Please report it"));
    }
    CHECK(ended([] { throw 1; }).code == 70);
}

TEST_CASE("A study's report that fails ends with 70, and who wrote the study is told to mend it", "[cli]") {
    const Ended study = ended([] { throw StudyError("the report of the study a/mine failed: no such axis"); });
    CHECK(study.code == 70);
    CHECK(
        study.said.starts_with("rfbench: the report of the study a/mine failed: no such axis\nIf this study is yours"));
    CHECK(!contains(study.said, please));
}

TEST_CASE("The program ends with the code of each kind", "[cli]") {
    const TemporaryFolder folder;
    // Yours: a name, a value, a parameter, points that are none, a data set, a shell.
    for (const char* arguments :
         {"run variance/nothing", "describe nothing", "inspect positiv --x 1 --y 1", "inspect positive --x 1 --y 1,2",
          "inspect geometric --x 1 --y 1 --set q=1.5", "inspect optimal-discrete --x 1e50 --y 1",
          "inspect positive --x 1 --y 1 --sampling orthogonl", "data fetch carr", "completion fish", "run --nothing",
          "plot nothing"}) {
        const Outcome run = run_program(arguments);
        INFO(arguments << ": " << run.out);
        CHECK(run.code == 2);
        CHECK(!contains(run.out, please));
    }
    // The machine's: no such file, no HDF5, a place that cannot be written to.
    const std::string taken = folder.write("taken", ""), text = folder.write("text.h5", "no HDF5");
    for (const std::string& arguments : {"inspect positive --x-file " + taken + "x --y-file " + taken,
                                         "run variance/gain --profile smoke --results " + taken + "/mine"}) {
        const Outcome run = run_program(arguments);
        INFO(arguments << ": " << run.out);
        CHECK(run.code == 1);
        CHECK(!contains(run.out, please));
    }
    // A result file's: what is damaged, beside which others would be drawn.
    const Outcome damaged = run_program("plot " + text + " --results " + folder.file("r"));
    CHECK(damaged.code == 5);
    CHECK(!contains(damaged.out, please));
}
