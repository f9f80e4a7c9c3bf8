"""Tests of cmake/code_digests.py: tokens, what stands behind a file, and the edits that results must notice, and those
that they must not, made to the project's own sources. python3 tests/code/digests.py runs them."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "cmake"))

from code_digests import LEFT_OUT, Tree, is_asked_for, main, study_part, tokens  # noqa: E402


class Tokens(unittest.TestCase):
    def test_comments_indentation_and_line_breaks_are_no_tokens(self):
        plain = tokens("double f(double x) { return 2 * x; }")
        for text in (
            "// what it is\ndouble f(double x) {\n    return 2*x;  // twice\n}\n",
            "double /* of\n  both */ f( double x ){return 2 * x;}",
            "double f(double x) { // a comment that \\\n goes on }\nreturn 2 * x; }",
            "double f(double x) { return \\\n2 * x; }\r\n",
        ):
            self.assertEqual(tokens(text), plain)

    def test_literals_count_as_they_are_written(self):
        self.assertEqual(
            tokens(r"""f("a // b", "c /* d", 'x');"""),
            ["f", "(", '"a // b"', ",", '"c /* d"', ",", "'x'", ")", ";"],
        )
        self.assertNotEqual(tokens('"a  b"'), tokens('"a b"'))
        self.assertEqual(tokens(r'"\"//" // comment'), [r'"\"//"'])
        self.assertEqual(tokens(r"""'"' '\'' "x" """), ["'\"'", r"'\''", '"x"'])
        self.assertEqual(tokens('R"x(a " ) // b)x" c // d'), ['R"x(a " ) // b)x"', "c"])
        self.assertEqual(tokens("u8\"a\" L'b'"), ['u8"a"', "L'b'"])

    def test_numbers_and_marks_are_those_of_the_compiler(self):
        self.assertEqual(tokens("1'000'000 + 0x1.8p-3 - 1e+5f"), ["1'000'000", "+", "0x1.8p-3", "-", "1e+5f"])
        self.assertEqual(tokens(".5-x"), [".5", "-", "x"])
        self.assertNotEqual(tokens("a + +b"), tokens("a++ b"))
        self.assertEqual(tokens("a - 1"), tokens("a-1"))
        self.assertNotEqual(tokens("int x"), tokens("intx"))

    def test_directives_end_with_their_lines_and_their_blanks_count(self):
        self.assertEqual(tokens('#include "a.hpp"  // why\nint x;'), tokens('#include "a.hpp"\n\nint x;'))
        self.assertNotEqual(tokens("#define A (1)\n"), tokens("#define A(1)\n"))
        self.assertEqual(tokens("#define A \\\n  1\nint x;"), tokens("#define A 1\nint x;"))
        self.assertNotEqual(tokens("#define A\n1"), tokens("#define A 1"))

    def test_a_text_that_ends_too_early_is_read_to_its_end(self):
        self.assertEqual(tokens('"abc'), ['"abc'])
        self.assertEqual(tokens("/* abc"), [])
        self.assertEqual(tokens("/*"), [])
        self.assertEqual(tokens('R"x(abc'), ['R"x(abc'])
        self.assertEqual(tokens('"abc\\'), ['"abc\\'])
        self.assertEqual(tokens(""), [])


ABOVE = """
#include "study/study.hpp"
namespace rfbench::experiments {
namespace {
const MethodKey taken{.abilities = {Ability::moments}};
constexpr double scale = 2;
struct Sets {
    double x = 0;
    double twice() const { return scale * x; }
    virtual void show() const = 0;
    Sets() = default;
};
double compute(double x, std::vector<int> all = {}) {
    const auto f = [](double y) { return y; };
    return f(scale * x) + g("}") + all.later();
}
Sweep prepare(const config::Value& config) {
    Sweep sweep;
    sweep.compute = [=](const Point& at) { return compute(at); };
    return sweep;
}
"""
BELOW = """
report::Figure figure(const store::Dataset& data) { return {.caption = "shown"}; }
double later(double x) { return f(x); }
}  // namespace
bool Two::operator<(const Two&) const { return true; }
Study a_study() { return {"a", "b", prepare, figure}; }
}  // namespace rfbench::experiments
"""


class StudyPart(unittest.TestCase):
    def with_line(self, line):
        return tokens(ABOVE.replace("double compute", line + "double compute") + BELOW)

    def test_a_study_counts_down_to_the_end_of_prepare(self):
        self.assertEqual(study_part(tokens(ABOVE + BELOW)), tokens(ABOVE))
        self.assertEqual(study_part(tokens(ABOVE + "int other;" + BELOW)), tokens(ABOVE))

    def test_one_that_declares_what_it_defines_below_counts_as_a_whole(self):
        for line in (
            "double later(double x);\n",
            "extern const double later;\n",
            "double later(double x = {});\n",
            "template <class T> T later(const T&) noexcept;\n",
            "struct Two { double later() const; };\n",
            "struct Two { bool operator<(const Two&) const; };\n",
            "namespace inner { double later(double); }\n",
        ):
            with self.subTest(line):
                self.assertEqual(study_part(self.with_line(line)), self.with_line(line))

    def test_other_declarations_leave_the_lower_part_out(self):
        for line in (
            "const double y = f(3);\n",
            "struct Two { std::map<int, std::function<int()>> all; };\n",
            "class Two : public One { Two() : One(3), x_{4} {} double x_; };\n",
            "template <class T> T now(const T& x) { return x; }\n",
        ):
            with self.subTest(line):
                self.assertEqual(len(study_part(self.with_line(line))), len(tokens(ABOVE)) + len(tokens(line)))

    def test_a_file_without_prepare_counts_as_a_whole(self):
        self.assertEqual(study_part(tokens("int f() { return 1; }")), tokens("int f() { return 1; }"))


SMALL = {
    "experiments/study/study.hpp": '#include "rfbench/random/stream.hpp"\n#include "rfbench/report/figure.hpp"\n',
    "experiments/study/study.cpp": '#include "study/study.hpp"\nint whole() { return 1; }\n',
    "experiments/a/mean.cpp": '#include "study/study.hpp"\n#include "rfbench/mean.hpp"\n#include "a/mean_report.hpp"\n'
    '#include "a/sets.hpp"\ndouble compute() { return 3; }\nSweep prepare(int) { return compute(); }\n'
    'Report show() { return "shown"; }\n',
    "experiments/a/mean_report.hpp": "int rows();\n",
    "experiments/a/mean_report.cpp": '#include "a/mean_report.hpp"\nint rows() { return 1; }\n',
    "experiments/a/sets.hpp": "int sets();\n",
    "experiments/a/sets.cpp": '#include "a/sets.hpp"\nint sets() { return 1; }\n',
    "experiments/a/other.cpp": '#include "a/sets.hpp"\nSweep prepare(int) { return 1; }\n',
    "experiments/methods/base.hpp": "struct Base {};\n",
    "experiments/methods/one.cpp": '#include "methods/base.hpp"\nint one() { return 1; }\n',
    "experiments/methods/two.cpp": '#include "methods/base.hpp"\nint two() { return 2; }\n',
    "framework/mean.hpp": '#include "rfbench/weights.hpp"\ndouble mean();\n',
    "framework/mean.cpp": '#include "rfbench/mean.hpp"\ndouble mean() { return 0.5; }  // of both\n',
    "framework/weights.hpp": '#include "rfbench/mean.hpp"\n',
    "framework/random/stream.hpp": "struct Stream { double normal(); };\n",
    "framework/random/normal.cpp": "#include <cmath>\n#include \"rfbench/random/stream.hpp\"\n"
    "double Stream::normal() { return 1; }\n",
    "framework/report/figure.hpp": "struct Figure {};\n",
    "framework/report/figure.cpp": '#include "rfbench/report/figure.hpp"\nint f() { return 1; }\n',
    "framework/features/catalogue.hpp": "int all();\n",
    "framework/features/catalogue.cpp": '#include "rfbench/features/catalogue.hpp"\n#include "rfbench/mean.hpp"\n'
    "int all() { return 1; }\n",
}


def digests(sources):
    """Digests of every .cpp that counts."""
    tree = Tree(sources)
    return {path: tree.digest(path) for path in sources if path.endswith(".cpp") and not LEFT_OUT.match(path)}


def changed_by(sources, path, old, new, digests=digests):
    """The files whose digest is another one when the first such text of a file is another one."""
    assert old in sources[path], f"{path} lacks {old}"
    before, after = digests(sources), digests(sources | {path: sources[path].replace(old, new, 1)})
    return {path for path in before if before[path] != after[path]}


class SmallTree(unittest.TestCase):
    def test_behind_a_file_is_what_it_includes_and_what_implements_that(self):
        tree = Tree(SMALL)
        self.assertEqual(
            tree.behind("experiments/a/mean.cpp"),
            {"experiments/a/mean.cpp", "experiments/a/sets.cpp", "experiments/a/sets.hpp", "experiments/study/study.cpp",
             "experiments/study/study.hpp", "framework/mean.cpp", "framework/mean.hpp", "framework/random/normal.cpp",
             "framework/random/stream.hpp", "framework/weights.hpp"},
        )
        self.assertEqual(
            tree.behind("experiments/methods/one.cpp"), {"experiments/methods/base.hpp", "experiments/methods/one.cpp"}
        )
        self.assertRegex(tree.digest("experiments/methods/one.cpp"), "^[0-9a-f]{64}$")

    def test_an_edit_changes_the_digests_of_what_stands_on_it_and_no_others(self):
        for path, old, new, changed in (
            ("framework/mean.cpp", "0.5", "0.25", {"experiments/a/mean.cpp", "framework/mean.cpp"}),
            ("framework/random/normal.cpp", "1", "2",
             {"experiments/a/mean.cpp", "experiments/study/study.cpp", "framework/random/normal.cpp"}),
            ("framework/random/normal.cpp", "cmath", "numbers",
             {"experiments/a/mean.cpp", "experiments/study/study.cpp", "framework/random/normal.cpp"}),
            ("experiments/a/mean.cpp", "return 3", "return 4", {"experiments/a/mean.cpp"}),
            ("experiments/a/sets.cpp", "1", "2",
             {"experiments/a/mean.cpp", "experiments/a/other.cpp", "experiments/a/sets.cpp"}),
            ("experiments/methods/two.cpp", "2", "3", {"experiments/methods/two.cpp"}),
        ):
            self.assertEqual(changed_by(SMALL, path, old, new), changed)

    def test_an_edit_of_comments_layout_or_a_report_changes_no_digest(self):
        for path, old, new in (
            ("framework/mean.cpp", "// of both", "// of all"),
            ("framework/mean.cpp", "{ return 0.5; }", "{\n    return 0.5;\n}"),
            ("experiments/a/mean.cpp", '"shown"', '"drawn"'),
            ("experiments/a/mean_report.cpp", "1", "2"),
            ("framework/report/figure.cpp", "1", "2"),
            ("framework/features/catalogue.cpp", "1", "2"),
        ):
            self.assertEqual(changed_by(SMALL, path, old, new), set())

    def test_a_file_that_moves_changes_no_digest(self):
        def renamed(text):
            return text.replace("a/sets.", "b/all_sets.").replace("study/study.", "z/one.")

        moved = digests({renamed(path): renamed(text) for path, text in SMALL.items()})
        self.assertEqual(moved, {renamed(path): digest for path, digest in digests(SMALL).items()})
        self.assertIn("experiments/b/all_sets.cpp", moved)

    def test_a_header_that_is_not_among_the_sources_is_refused(self):
        more = SMALL | {"framework/random/normal.cpp": '#include "rfbench/random/absent.hpp"\n'}
        with self.assertRaisesRegex(
            ValueError, '^framework/random/normal.cpp includes "rfbench/random/absent.hpp", which is not among the sources$'
        ):
            Tree(more)

    def test_no_method_is_behind_a_study_that_takes_none_unless_it_includes_one_itself(self):
        study, prepare = '#include "study/study.hpp"\n', "Sweep prepare(int) { return 1; }\n"
        listing = {
            "experiments/study/study.hpp": SMALL["experiments/study/study.hpp"] + '#include "study/method_list.hpp"\n',
            "experiments/study/method_list.hpp": '#include "methods/base.hpp"\n',
        }

        def counts(text):
            tree = Tree(SMALL | listing | {"experiments/a/mean.cpp": text})
            return "experiments/methods/base.hpp" in tree.behind("experiments/a/mean.cpp")

        self.assertTrue(counts(study + prepare))
        self.assertTrue(counts(study + "const MethodKey taken{1};\n" + prepare))
        self.assertFalse(counts(study + "const MethodKey none{};\n" + prepare))
        self.assertTrue(counts(study + '#include "study/method_list.hpp"\nconst MethodKey none{};\n' + prepare))

    def test_the_table_is_written_once(self):
        with tempfile.TemporaryDirectory() as folder:
            listed, output = Path(folder) / "list", Path(folder) / "digests.cpp"
            for path, text in SMALL.items():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text(text)
            listed.write_text("\n".join(SMALL) + "\n")
            main(folder, listed, output)
            time, text = output.stat().st_mtime_ns, output.read_text()
            main(folder, listed, output)
            self.assertEqual(output.stat().st_mtime_ns, time)
            self.assertIn(f'{{"experiments/a/mean.cpp",\n         "{digests(SMALL)["experiments/a/mean.cpp"]}"}},\n', text)


OWN = {
    str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8")
    for top in ("framework", "experiments")
    for path in sorted((SOURCE / top).rglob("*.[ch]pp"))
}


def files_with(folder, text):
    return {path for path in OWN if path.startswith(folder) and path.endswith(".cpp") and text in OWN[path]}


STUDIES = files_with("experiments/", "\nSweep prepare(")
METHODS = files_with("experiments/methods/", "\nstd::vector<MethodInfo> ")
MECHANISMS = files_with("framework/features/mechanisms/", "\nconst MechanismInfo& ")
ALL = STUDIES | METHODS | MECHANISMS
# Sources of the framework that no value stands on.
KNOWN = {
    "attention/heads": "the library offers it, and no study takes it",
    "attention/redraw": "the library offers it, and no study takes it",
    "claims": "what is said of values that are there",
    "cli": "how cells are asked for",
    "comparison": "what is said of values that are there",
    "config": "what it reads is in a cell's identity",
    "datasets/describe": "words about data",
    "datasets/fetch": "what it fetches is known by its hash",
    "datasets/npz_writer": "tables are exported by it",
    "decisions": "what is said of values that are there",
    "eigen/products": "says where Eigen's products are compiled, and not what they compute",
    "engine": "how cells are run: any order and number of threads gives the same bits",
    "features/catalogue": "the list of mechanisms: who takes one stands on its file",
    "features/function_mechanism": "asks the functions of a plugin, whose hash counts",
    "features/pair_averages": "rfbench inspect shows them, and no study takes them",
    "features/mechanisms": "the list of mechanisms: who takes one stands on its file",
    "launcher": "which of several programs runs: instruction sets are in a cell's identity",
    "plugin": "runs a user's file, whose hash counts",
    "process": "runs other programs: what they print is known by its hash",
    "python": "the package",
    "report": "what is made of values that are there",
    "statistics/critical_difference": "reports take it, of values that are there",
    "statistics/median": "reports take it, of values that are there",
    "statistics/paired_test": "reports take it, of values that are there",
    "statistics/two_samples": "comparisons take it, of values that are there",
    "store": "what it writes it reads again to the bit",
    "text": "words of messages",
    "version": "the number of the version",
}


def own_digests(sources):
    tree = Tree(sources)
    return {path: tree.digest(path) for path in ALL}


BEFORE = own_digests(OWN)


def changed(path, old, new):
    """The studies, methods and mechanisms that an edit of the project's sources changes the digests of."""
    return changed_by(OWN, path, old, new, lambda sources: BEFORE if sources is OWN else own_digests(sources))


class Project(unittest.TestCase):
    def test_a_constant_of_a_mechanism_changes_its_digest_and_of_what_stands_on_it_and_no_other(self):
        mechanisms = "framework/features/mechanisms/"
        for name, old, new, more in (
            ("positive", "4 * pair.xy", "5 * pair.xy", set()),
            ("poisson", "1e-18", "1e-17", set()),
            ("luna", "namespace {", "namespace { int one;", {"experiments/methods/luna.cpp"}),
            ("positive_fixed", "namespace {", "namespace { int one;",
             {f"{mechanisms}discrete_cosine.cpp", f"{mechanisms}positive_weighted.cpp"}),
        ):
            path = f"{mechanisms}{name}.cpp"
            self.assertEqual(changed(path, old, new), {path} | more)

    def test_what_all_draw_from_is_behind_every_study_method_and_mechanism(self):
        self.assertEqual(changed("framework/random/normal.cpp", "namespace rfbench {", "namespace rfbench { int one;"), ALL)

    def test_an_edit_of_what_a_study_computes_changes_its_digest_alone_one_of_what_it_shows_none(self):
        for study in sorted(STUDIES):
            with self.subTest(study):
                one = "\nint one() { return 1; }"
                self.assertEqual(changed(study, "\nSweep prepare(", f"{one}\nSweep prepare("), {study})
                self.assertEqual(changed(study, "\nStudy ", f"{one}\nStudy "), set())

    def test_reports_command_line_engine_store_and_configuration_are_behind_no_value(self):
        edited = {path: text + "\nint one;\n" if LEFT_OUT.match(path) else text for path, text in OWN.items()}
        for path in ("framework/report/table.cpp", "framework/cli/run.cpp", "experiments/report/reduction.cpp"):
            self.assertNotEqual(edited[path], OWN[path])
        self.assertEqual(own_digests(edited), BEFORE)

    def test_a_source_without_a_header_of_its_own_implements_one(self):
        tree = Tree(OWN)
        behind = set().union(*(tree.behind(path) for path in ALL))
        overlooked = [
            path for path, text in OWN.items()
            if path.endswith(".cpp") and path[:-3] + "hpp" not in OWN and path not in behind
            and not LEFT_OUT.match(path) and '_report.hpp"' not in text  # parts of a report
        ]
        self.assertEqual(overlooked, [])

    def test_every_source_of_the_framework_is_behind_a_value_but_for_those_that_are_known(self):
        tree = Tree(OWN)
        behind = set().union(*(tree.behind(path) for path in ALL))
        met, unknown = set(), set()
        for path in OWN.keys() - behind:
            if path.startswith("framework/"):
                name = re.sub(r"^framework/|\.[ch]pp$", "", path)
                found = {name, name.split("/")[0]} & KNOWN.keys()
                met |= found
                unknown |= set() if found else {path}
        self.assertEqual(unknown, set())
        self.assertEqual(met, KNOWN.keys())

    def test_every_study_method_and_mechanism_is_asked_for_and_has_a_digest_of_its_own(self):
        self.assertTrue(all(map(is_asked_for, ALL)))
        self.assertEqual(len(set(BEFORE.values())), len(ALL))


if __name__ == "__main__":
    unittest.main()
