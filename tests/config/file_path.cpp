#include "rfbench/config/file_path.hpp"

#include <filesystem>

#include "catch.hpp"
#include "rfbench/config/load.hpp"
#include "rfbench/config/schema.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench;
using namespace rfbench::config;

TEST_CASE("a path is relative to the folder of its configuration, else to the working folder") {
    const tests::TemporaryFolder folder;
    folder.write("mine/data.csv", "1");
    const std::string yaml = folder.file("mine/own.yaml");
    const auto value = [&](const std::string& path) {
        return parse("file: " + path + "\n", yaml, object({required("file", text(), "a file")})).at("file");
    };
    CHECK(file_path(value("data.csv")) == folder.file("mine/data.csv"));
    CHECK(existing_path(value("data.csv")) == folder.file("mine/data.csv"));
    CHECK(existing_path(value(folder.file("mine/data.csv"))) == folder.file("mine/data.csv"));
    CHECK(file_path(value("none.csv")) == "none.csv");
    CHECK(file_path(value("data.csv:/x"), [](const std::string& where) { return where.substr(0, where.find(':')); }) ==
          folder.file("mine/data.csv") + ":/x");
    CHECK(tests::refusal<Error>([&] { existing_path(value("none.csv")); }) ==
          yaml + ":1:7: file: none.csv: there is no such file, nor " + folder.file("mine/none.csv") +
              ", in this configuration's folder");
}
