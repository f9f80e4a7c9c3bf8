#include "rfbench/code/tree.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace rfbench::code;
using Set = std::set<std::string>;

namespace {

const Sources small{
    {"experiments/study.hpp", "#include \"rfbench/random/stream.hpp\"\n#include \"rfbench/report/figure.hpp\"\n"},
    {"experiments/study.cpp", "#include \"study.hpp\"\nint whole() { return 1; }\n"},
    {"experiments/a/mean.cpp",
     "#include \"study.hpp\"\n#include \"rfbench/mean.hpp\"\n#include \"a/mean_report.hpp\"\n#include \"a/sets.hpp\"\n"
     "double compute() { return 3; }\nSweep prepare(int) { return compute(); }\nReport show() { return \"shown\"; }\n"},
    {"experiments/a/mean_report.hpp", "int rows();\n"},
    {"experiments/a/mean_report.cpp", "#include \"a/mean_report.hpp\"\nint rows() { return 1; }\n"},
    {"experiments/a/sets.hpp", "int sets();\n"},
    {"experiments/a/sets.cpp", "#include \"a/sets.hpp\"\nint sets() { return 1; }\n"},
    {"experiments/a/other.cpp", "#include \"a/sets.hpp\"\nSweep prepare(int) { return 1; }\n"},
    {"experiments/methods/base.hpp", "struct Base {};\n"},
    {"experiments/methods/one.cpp", "#include \"methods/base.hpp\"\nint one() { return 1; }\n"},
    {"experiments/methods/two.cpp", "#include \"methods/base.hpp\"\nint two() { return 2; }\n"},
    {"framework/mean.hpp", "#include \"rfbench/weights.hpp\"\ndouble mean();\n"},
    {"framework/mean.cpp", "#include \"rfbench/mean.hpp\"\ndouble mean() { return 0.5; }  // of both\n"},
    {"framework/weights.hpp", "#include \"rfbench/mean.hpp\"\n"},
    {"framework/random/stream.hpp", "struct Stream { double normal(); };\n"},
    {"framework/random/normal.cpp",
     "#include <cmath>\n#include \"rfbench/random/stream.hpp\"\ndouble Stream::normal() { return 1; }\n"},
    {"framework/report/figure.hpp", "struct Figure {};\n"},
    {"framework/report/figure.cpp", "#include \"rfbench/report/figure.hpp\"\nint f() { return 1; }\n"},
    {"framework/features/catalogue.hpp", "int all();\n"},
    {"framework/features/catalogue.cpp",
     "#include \"rfbench/features/catalogue.hpp\"\n#include \"rfbench/mean.hpp\"\nint all() { return 1; }\n"},
};

/// The files whose digest is another one when a file has this instead of that.
Set changed_by(const std::string& file, const std::string& old_text, const std::string& new_text) {
    Sources edited = small;
    std::string& text = edited.at(file);
    REQUIRE(text.find(old_text) != std::string::npos);
    text.replace(text.find(old_text), old_text.size(), new_text);
    const Tree before(small), after(edited);
    Set changed;
    for (const auto& [path, source] : small)
        if (path.ends_with(".cpp") && !is_left_out(path) && before.digest(path) != after.digest(path))
            changed.insert(path);
    return changed;
}

}  // namespace

TEST_CASE("behind a file is what it includes and what implements that") {
    const Tree tree(small);
    CHECK(tree.behind("experiments/a/mean.cpp") ==
          Set{"experiments/a/mean.cpp", "experiments/a/sets.cpp", "experiments/a/sets.hpp", "experiments/study.cpp",
              "experiments/study.hpp", "framework/mean.cpp", "framework/mean.hpp", "framework/random/normal.cpp",
              "framework/random/stream.hpp", "framework/weights.hpp"});
    CHECK(tree.behind("experiments/methods/one.cpp") ==
          Set{"experiments/methods/base.hpp", "experiments/methods/one.cpp"});
    CHECK(tree.digest("experiments/methods/one.cpp").size() == 64);
}

TEST_CASE("an edit changes the digests of what stands on it, and no others") {
    CHECK(changed_by("framework/mean.cpp", "0.5", "0.25") == Set{"experiments/a/mean.cpp", "framework/mean.cpp"});
    CHECK(changed_by("framework/random/normal.cpp", "1", "2") ==
          Set{"experiments/a/mean.cpp", "experiments/study.cpp", "framework/random/normal.cpp"});
    CHECK(changed_by("experiments/a/mean.cpp", "return 3", "return 4") == Set{"experiments/a/mean.cpp"});
    CHECK(changed_by("experiments/a/sets.cpp", "1", "2") ==
          Set{"experiments/a/mean.cpp", "experiments/a/other.cpp", "experiments/a/sets.cpp"});
    CHECK(changed_by("experiments/methods/two.cpp", "2", "3") == Set{"experiments/methods/two.cpp"});
}

TEST_CASE("an edit of comments, of layout or of a report changes no digest") {
    CHECK(changed_by("framework/mean.cpp", "// of both", "// of all").empty());
    CHECK(changed_by("framework/mean.cpp", "{ return 0.5; }", "{\n    return 0.5;\n}").empty());
    CHECK(changed_by("experiments/a/mean.cpp", "\"shown\"", "\"drawn\"").empty());
    CHECK(changed_by("experiments/a/mean_report.cpp", "1", "2").empty());
    CHECK(changed_by("framework/report/figure.cpp", "1", "2").empty());
    CHECK(changed_by("framework/features/catalogue.cpp", "1", "2").empty());
}

TEST_CASE("a header that is not among the sources is refused, as is a file that is not") {
    Sources more = small;
    more["framework/random/normal.cpp"] += "#include \"rfbench/random/absent.hpp\"\n";
    CHECK_THROWS_WITH(Tree(more),
                      "framework/random/normal.cpp includes \"rfbench/random/absent.hpp\", which is not "
                      "among the sources");
    CHECK_THROWS_AS(Tree(small).behind("framework/absent.cpp"), std::invalid_argument);
}

TEST_CASE("no method is behind a study that says it takes none, unless it includes one itself") {
    Sources sources = small;
    sources["experiments/study.hpp"] += "#include \"method_list.hpp\"\n";
    sources["experiments/method_list.hpp"] = "#include \"methods/base.hpp\"\n";
    const std::string study = "#include \"study.hpp\"\n", prepare = "Sweep prepare(int) { return 1; }\n";
    const auto counts = [&](const std::string& text) {
        sources["experiments/a/mean.cpp"] = text;
        return Tree(sources).behind("experiments/a/mean.cpp").contains("experiments/methods/base.hpp");
    };
    CHECK(counts(study + prepare));
    CHECK(counts(study + "const MethodKey taken{1};\n" + prepare));
    CHECK(!counts(study + "const MethodKey none{};\n" + prepare));
    CHECK(counts(study + "#include \"method_list.hpp\"\nconst MethodKey none{};\n" + prepare));
    CHECK(Tree(sources).behind("experiments/study.hpp").contains("experiments/methods/base.hpp"));
}
