// Programs that are asked and answer.
#include "rfbench/process/conversation.hpp"

#include <array>

#include "catch.hpp"
#include "rfbench/errors.hpp"

using namespace rfbench;
using process::Conversation;

TEST_CASE("A program answers line by line and byte by byte, more than any buffer holds") {
    Conversation echo({.program = "cat"});
    for (int turn = 0; turn < 2; ++turn) {
        echo.write("one\ntwo\nrest");
        CHECK(echo.line() == "one");
        CHECK(echo.line() == "two");
        std::array<std::byte, 4> rest{};
        echo.read(rest);
        CHECK(static_cast<char>(rest[3]) == 't');
    }
    Conversation writes({.program = "sh", .arguments = {"-c", "head -c 1000000 /dev/zero; echo; echo end"}});
    CHECK(writes.line().size() == 1000000);
    CHECK(writes.line() == "end");
}

TEST_CASE("A program that has ended is told, whether it is asked or listened to") {
    CHECK_THROWS_AS(Conversation({.program = "no-such-program"}), FileError);
    Conversation ended({.program = "true"});
    CHECK_THROWS_AS(ended.line(), FileError);
    CHECK_THROWS_AS(ended.write("x"), FileError);  // and no signal ends us
    Conversation cut({.program = "printf", .arguments = {"ab"}});
    std::array<std::byte, 3> bytes{};
    CHECK_THROWS_AS(cut.read(bytes), FileError);
}

TEST_CASE("A program that nobody asks any more is ended") {
    // It would go on for a minute, and its end is waited for.
    Conversation endless({.program = "sh", .arguments = {"-c", "echo begun; exec sleep 60"}});
    CHECK(endless.line() == "begun");
}
