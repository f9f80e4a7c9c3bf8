#include "rfbench/code/study_part.hpp"

#include "catch.hpp"
#include "rfbench/code/tokens.hpp"

using namespace rfbench::code;

namespace {

std::vector<std::string> part(const std::string& text) { return study_part(tokens(text)); }

const std::string above = R"(
#include "study.hpp"
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
enum class Kind { one, other };
using Function = double (*)(double);
static_assert(sizeof(double) == 8);
double compute(double x, std::vector<int> all = {}) {
    const auto f = [](double y) { return y; };
    return f(scale * x) + g("}");
}
Sweep prepare(const config::Value& config) {
    Sweep sweep;
    sweep.compute = [=](const Point& at) { return compute(at); };
    return sweep;
}
)";
const std::string below = R"(
report::Figure figure(const store::Dataset& data) { return {.caption = "shown"}; }
}  // namespace
Study a_study() { return {"a", "b", prepare, figure}; }
}  // namespace rfbench::experiments
)";

std::string with_line_before(const char* line, const char* before) {
    std::string text = above + below;
    return text.insert(text.find(before), line);
}

}  // namespace

TEST_CASE("what a study's file says below its prepare is no part of it") {
    CHECK(part(above + below) == tokens(above));
    CHECK(part(above + "int other;" + below) == tokens(above));
}

TEST_CASE("a study's file that declares what it defines below counts as a whole") {
    for (const char* declaration :
         {"double later(double x);\n", "extern const double later;\n", "double later(double x = {});\n",
          "template <class T> T later(const T&) noexcept;\n", "auto later() -> double;\n",
          "struct Two { double later() const; };\n", "std::function<void()> later();\n",
          "struct Two { bool operator<(const Two&) const; };\n", "namespace inner { double later(double); }\n"}) {
        CAPTURE(declaration);
        const std::string text = with_line_before(declaration, "double compute");
        CHECK(part(text) == tokens(text));
    }
}

TEST_CASE("variables, types and definitions are no declarations of what comes below") {
    for (const char* line : {"const double y = f(3);\n", "struct Two { std::map<int, std::function<int()>> all; };\n",
                             "const std::vector<double> y{f(3), 2};\n",
                             "class Two : public One { Two() : One(3), x_{4} {} double x_; };\n",
                             "template <class T> T now(const T& x) { return x; }\n", "#define LATER(x) (x);\n"}) {
        CAPTURE(line);
        CHECK(part(with_line_before(line, "double compute")).size() == tokens(above).size() + tokens(line).size());
    }
}

TEST_CASE("a file without prepare counts as a whole") {
    CHECK(part("int f() { return 1; }") == tokens("int f() { return 1; }"));
}
