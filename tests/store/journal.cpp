#include "rfbench/store/journal.hpp"

#include <cstring>

#include "catch.hpp"
#include "failing_calls.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/journal_line.hpp"
#include "support/child_process.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

Event done(const std::string& key) {
    return {"done", key, "cells/" + key + ".h5", std::string(64, 'a'), "identity", "", 0.1, "2026-01-31T23:59:59Z"};
}

bool same(const Event& a, const Event& b) {
    return a.event == b.event && a.key == b.key && a.file == b.file && a.sha256 == b.sha256 &&
           a.identity == b.identity && a.reason == b.reason && a.seconds == b.seconds && a.time == b.time;
}

std::vector<std::string> keys(const JournalContents& contents) {
    std::vector<std::string> list;
    for (const Event& event : contents.events) list.push_back(event.key);
    return list;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("events come back as they were appended", "[journal]") {
    const TemporaryFolder folder;
    std::string controls;
    for (char c = 1; c < 0x20; ++c) controls += c;
    const std::vector<Event> events = {
        done("gamma=0.1/mechanism=größe"),
        {"failed", "quote \" backslash \\ newline \n end", "", "", "", controls + "\x7f", 1.0 / 3, "t"},
        {"started", "", "", "", "", std::string("zero\0byte", 9), 1e-300, "t"},
    };
    for (const Event& event : events) append(folder / "journal", event);

    const JournalContents contents = read_journal(folder / "journal");
    REQUIRE(contents.events.size() == events.size());
    for (std::size_t i = 0; i < events.size(); ++i) CHECK(same(contents.events[i], events[i]));
    CHECK(contents.damaged.empty());
    CHECK(!contents.torn);
}

TEST_CASE("a journal that does not exist is empty", "[journal]") {
    const TemporaryFolder folder;
    CHECK(read_journal(folder / "journal").events.empty());
    CHECK_THROWS_AS(read_journal(folder.path()), Error);
}

TEST_CASE("an event without a time gets the time of now", "[journal]") {
    const TemporaryFolder folder;
    append(folder / "journal", {"started", "k", "", "", "", "", 0, ""});
    const std::string time = read_journal(folder / "journal").events.at(0).time;
    REQUIRE(time.size() == 20);
    CHECK(time[4] == '-');
    CHECK(time[10] == 'T');
    CHECK(time[19] == 'Z');
    CHECK_THROWS_AS(append(folder / "journal", Event{}), std::invalid_argument);
}

TEST_CASE("a line is one object of JSON, of any writer", "[journal]") {
    CHECK(journal_line(done("k")) ==
          "{\"time\":\"2026-01-31T23:59:59Z\",\"event\":\"done\",\"key\":\"k\",\"file\":\"cells/k.h5\",\"sha256\":\"" +
              std::string(64, 'a') + "\",\"identity\":\"identity\",\"seconds\":0.1}");
    const Event event = parse_journal_line(
        " { \"event\" : \"done\", \"new\": 7, \"more\":\"x\", \"key\":\"a\\u00e9\\ud83d\\ude00\\/\\t\" , "
        "\"seconds\":1e3 } ");
    CHECK(event.key == "a\xc3\xa9\xf0\x9f\x98\x80/\t");
    CHECK(event.seconds == 1000);
}

TEST_CASE("what is no event is refused with the column", "[journal]") {
    const std::vector<std::string> lines = {
        "",
        "{",
        "{}",
        "x",
        "[]",
        "{\"event\"}",
        "{\"event\":}",
        "{\"event\":\"done\"",
        "{\"event\":\"done\"}x",
        "{\"event\":\"done\",}",
        "{\"event\":\"do",
        "{\"event\":\"\\x\"}",
        "{\"event\":\"\\u12\"}",
        "{\"event\":\"\\",
        "{\"event\":\"\\ud800\"}",
        "{\"event\":\"\\udc00\"}",
        "{\"event\":\"\\ud800\\u0041\"}",
        "{\"event\":nan}",
        "{\"event\":\"done\",\"seconds\":inf}",
        "{\"event\":\"done\",\"key\":\"\x01\"}",
        "{\"key\":\"k\"}",
    };
    for (const std::string& line : lines) {
        INFO(line);
        CHECK_THROWS_AS(parse_journal_line(line), rfbench::FileError);
    }
    CHECK(contains(refusal<rfbench::FileError>([] { parse_journal_line("{\"event\":}"); }), "column 10"));
    CHECK(contains(refusal<rfbench::FileError>([] { parse_journal_line("{\"event\":true}"); }), "'event' is no text"));
}

TEST_CASE("a torn last line never happened, wherever it is torn, and the next append repairs it", "[journal][faults]") {
    const TemporaryFolder folder;
    append(folder / "journal", done("first"));
    append(folder / "journal", done("second"));
    const std::string whole = bytes_of(folder / "journal");
    append(folder / "journal", done("third!"));
    const std::string three = bytes_of(folder / "journal");

    // Hundreds of appends need not wait for the disk.
    SystemCalls calls = system_calls();
    calls.fsync = [](int) { return 0; };
    const ReplacedSystemCalls replaced(calls);
    for (std::size_t size = 0; size < three.size(); ++size) {
        put_bytes(folder / "journal", three.substr(0, size));
        const std::size_t lines = size >= whole.size() ? 2 : size >= whole.find('\n') + 1 ? 1 : 0;
        const Keys expected = lines == 2 ? Keys{"first", "second"} : lines == 1 ? Keys{"first"} : Keys{};
        const JournalContents torn = read_journal(folder / "journal");
        if (keys(torn) != expected || !torn.damaged.empty()) FAIL("torn after " << size << " bytes");
        CHECK(torn.torn == (size != 0 && three[size - 1] != '\n'));

        append(folder / "journal", done("after"));
        const JournalContents repaired = read_journal(folder / "journal");
        Keys longer = expected;
        longer.push_back("after");
        if (keys(repaired) != longer || !repaired.damaged.empty() || repaired.torn) FAIL("repaired after " << size);
    }
}

TEST_CASE("a damaged line is told, and the others count", "[journal][faults]") {
    const TemporaryFolder folder;
    for (const char* key : {"first", "second", "third"}) append(folder / "journal", done(key));
    std::string bytes = bytes_of(folder / "journal");
    bytes[bytes.find("\"second\"")] = '}';
    put_bytes(folder / "journal", bytes);
    const JournalContents contents = read_journal(folder / "journal");
    CHECK(keys(contents) == Keys{"first", "third"});
    REQUIRE(contents.damaged.size() == 1);
    CHECK(contents.damaged[0].line == 2);
}

TEST_CASE("no bit of a whole line can change without being told", "[journal][faults]") {
    const TemporaryFolder folder;
    append(folder / "journal", done("first"));
    append(folder / "journal", done("second"));
    const std::string whole = bytes_of(folder / "journal");
    const std::size_t line = whole.find('\n');
    for (std::size_t bit = 0; bit < 8 * line; ++bit) {
        INFO("bit " << bit % 8 << " of byte " << bit / 8);
        std::string bytes = whole;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
        put_bytes(folder / "journal", bytes);
        const JournalContents contents = read_journal(folder / "journal");
        CHECK(keys(contents) == Keys{"second"});
        CHECK(!contents.damaged.empty());
    }
    put_bytes(folder / "journal", journal_line(done("without a sum")) + "\n" + whole);
    CHECK(keys(read_journal(folder / "journal")) == Keys{"first", "second"});
    drop_damaged_lines(folder / "journal");
    CHECK(bytes_of(folder / "journal") == whole);
}

TEST_CASE("a failed append is told and leaves the journal as it was", "[journal][faults]") {
    for (const std::string name : {"open", "write", "fsync"}) {
        INFO(name);
        const TemporaryFolder folder;
        append(folder / "journal", done("first"));
        const std::string before = bytes_of(folder / "journal");
        const FailingCalls failing(name, 1, ENOSPC);
        {
            const ReplacedSystemCalls replaced(failing.table());
            const auto said = refusal<Error>([&] { append(folder / "journal", done("second")); });
            CHECK(contains(said, name));
            CHECK(contains(said, (folder / "journal").string()));
            CHECK(contains(said, std::strerror(ENOSPC)));
        }
        CHECK(bytes_of(folder / "journal") == before);
        append(folder / "journal", done("third"));
        CHECK(keys(read_journal(folder / "journal")) == Keys{"first", "third"});
    }
}

TEST_CASE("a disk that fills up within a line leaves no part of it", "[journal][faults]") {
    const TemporaryFolder folder;
    append(folder / "journal", done("first"));
    const std::string before = bytes_of(folder / "journal");
    SystemCalls calls = system_calls();
    const SystemCalls real = calls;
    bool full = false;
    calls.write = [&](int file, const void* bytes, std::size_t) -> ssize_t {
        if (full) return errno = ENOSPC, -1;
        full = true;
        return real.write(file, bytes, 10);
    };
    SECTION("and can be cut back") {
        const ReplacedSystemCalls replaced(calls);
        CHECK_THROWS_AS(append(folder / "journal", done("second")), Error);
        CHECK(bytes_of(folder / "journal") == before);
    }
    SECTION("and cannot be cut back: the torn line is passed over") {
        calls.ftruncate = [](int, off_t) { return errno = EIO, -1; };
        {
            const ReplacedSystemCalls replaced(calls);
            const auto said = refusal<Error>([&] { append(folder / "journal", done("second")); });
            CHECK(contains(said, std::strerror(ENOSPC)));
        }
        CHECK(bytes_of(folder / "journal").size() == before.size() + 10);
        CHECK(keys(read_journal(folder / "journal")) == Keys{"first"});
    }
}

TEST_CASE("an append is one write and one fsync", "[journal]") {
    const TemporaryFolder folder;
    append(folder / "journal", done("first"));
    const FailingCalls counting("", 0, 0);
    const ReplacedSystemCalls replaced(counting.table());
    append(folder / "journal", done("second"));
    CHECK(counting.count("write") == 1);
    CHECK(counting.count("fsync") == 1);
    CHECK(counting.count("ftruncate") == 0);
}

TEST_CASE("what append reported survives a kill at any moment", "[journal][faults]") {
    const TemporaryFolder folder;
    std::size_t counted = 0;
    for (unsigned kill = 0; kill < 60; ++kill) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        std::size_t next = counted;
        const bool killed = kill_amid(double(37 * kill % 60) / 30, [&] {
            append(folder / "journal", done(std::to_string(next++)));
            if (::write(ends[1], "+", 1) != 1) throw Error("the parent does not listen");
        });
        CHECK(killed);
        ::close(ends[1]);
        char byte;
        std::size_t reported = 0;
        while (::read(ends[0], &byte, 1) == 1) ++reported;
        ::close(ends[0]);

        const JournalContents contents = read_journal(folder / "journal");
        CHECK(contents.damaged.empty());
        const std::size_t found = contents.events.size();
        CHECK(found >= counted + reported);
        CHECK(found <= counted + reported + 1);
        for (std::size_t i = counted; i < found; ++i) CHECK(contents.events[i].key == std::to_string(i));
        counted = found;
    }
    CHECK(counted >= 60);
}
