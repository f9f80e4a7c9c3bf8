#include "rfbench/code/tokens.hpp"

#include "catch.hpp"

using rfbench::code::tokens;
using List = std::vector<std::string>;

TEST_CASE("comments, indentation and line breaks are no tokens") {
    const List plain = tokens("double f(double x) { return 2 * x; }");
    CHECK(tokens("// what it is\ndouble f(double x) {\n    return 2*x;  // twice\n}\n") == plain);
    CHECK(tokens("double /* of\n  both */ f( double x ){return 2 * x;}") == plain);
    CHECK(tokens("double f(double x) { // a comment that \\\n goes on }\nreturn 2 * x; }") == plain);
    CHECK(tokens("double f(double x) { return \\\n2 * x; }\r\n") == plain);
}

TEST_CASE("what is written in a literal counts as it is written") {
    CHECK(tokens(R"(f("a // b", "c /* d", 'x');)") ==
          List{"f", "(", "\"a // b\"", ",", "\"c /* d\"", ",", "'x'", ")", ";"});
    CHECK(tokens(R"("a  b")") != tokens(R"("a b")"));
    CHECK(tokens(R"("\"//" // comment)") == List{R"("\"//")"});
    CHECK(tokens(R"('"' '\'' "x")") == List{"'\"'", "'\\''", "\"x\""});
    CHECK(tokens("R\"x(a \" ) // b)x\" c // d") == List{"R\"x(a \" ) // b)x\"", "c"});
    CHECK(tokens("u8\"a\" L'b'") == List{"u8\"a\"", "L'b'"});
}

TEST_CASE("numbers and marks are what the compiler takes them for") {
    CHECK(tokens("1'000'000 + 0x1.8p-3 - 1e+5f") == List{"1'000'000", "+", "0x1.8p-3", "-", "1e+5f"});
    CHECK(tokens(".5-x") == List{".5", "-", "x"});
    CHECK(tokens("a + +b") != tokens("a++ b"));
    CHECK(tokens("a - 1") == tokens("a-1"));
    CHECK(tokens("int x") != tokens("intx"));
}

TEST_CASE("directives end with their lines, and their blanks count") {
    CHECK(tokens("#include \"a.hpp\"  // why\nint x;") == tokens("#include \"a.hpp\"\n\nint x;"));
    CHECK(tokens("#define A (1)\n") != tokens("#define A(1)\n"));
    CHECK(tokens("#define A \\\n  1\nint x;") == tokens("#define A 1\nint x;"));
    CHECK(tokens("#define A\n1") != tokens("#define A 1"));
}

TEST_CASE("text that ends too early is read to its end") {
    CHECK(tokens("\"abc") == List{"\"abc"});
    CHECK(tokens("/* abc").empty());
    CHECK(tokens("/*").empty());
    CHECK(tokens("R\"x(abc") == List{"R\"x(abc"});
    CHECK(tokens("\"abc\\") == List{"\"abc\\"});
    CHECK(tokens("").empty());
}
