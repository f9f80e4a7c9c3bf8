#include "rfbench/engine/progress.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "catch.hpp"
#include "rfbench/parallel/parts.hpp"
#include "support/refusal.hpp"
#include "sweep.hpp"

using namespace sweep;
using namespace rfbench::tests;
using engine::Progress;
using engine::ProgressMode;

TEST_CASE("durations are written for people") {
    CHECK(engine::duration(0) == "0.0 s");
    CHECK(engine::duration(9.96) == "10 s");
    CHECK(engine::duration(59.4) == "59 s");
    CHECK(engine::duration(59.6) == "1 min 00 s");
    CHECK(engine::duration(187) == "3 min 07 s");
    CHECK(engine::duration(3599.4) == "59 min 59 s");
    CHECK(engine::duration(3599.6) == "1 h 00 min");
    CHECK(engine::duration(7169) == "1 h 59 min");
    CHECK(engine::duration(7199) == "2 h 00 min");  // rounded, as everything else is
    CHECK(engine::duration(7500) == "2 h 05 min");
    CHECK(engine::duration(-1) == "?");
}

TEST_CASE("plain lines come at most every few seconds, and at the end") {
    std::ostringstream out;
    double now = 0;
    Progress progress(out, ProgressMode::automatic, "v/s", 100, 20, 5, [&] { return now; });
    for (int i = 0; i < 80; ++i) {
        progress.started("k");
        now += 0.5;
        progress.finished("k", i == 0);
    }
    progress.end("done");
    const std::string text = out.str();
    INFO(text);
    CHECK(std::count(text.begin(), text.end(), '\n') == 9);  // 40 s: eight lines and the last
    CHECK(text.find('\r') == std::string::npos);
    CHECK(contains(text, "v/s: done, 99 of 100 cells, 1 failed, 20 from before, 40 s"));
    // After 10 s, 20 of the 80 cells of this run: 30 s are left.
    CHECK(contains(text, "v/s: 39/100 cells, 1 failed, 40 %, 10 s, 30 s left"));
}

TEST_CASE("on a terminal one line updates itself and never exceeds its width") {
    std::ostringstream out;
    double now = 0;
    Progress progress(out, ProgressMode::line, "v/s", 10, 0, 5, [&] { return now; });
    for (int i = 0; i < 10; ++i) {
        progress.started(std::string(200, 'k'));
        now += 1;
        progress.finished(std::string(200, 'k'), false);
    }
    const std::string before_end = out.str();
    CHECK(before_end.find('\n') == std::string::npos);
    CHECK(std::count(before_end.begin(), before_end.end(), '\r') >= 10);
    std::istringstream lines(before_end);
    for (std::string line; std::getline(lines, line, '\r');) CHECK(line.size() <= 79 + 3);
    progress.end("done");
    CHECK(out.str().back() == '\n');
    CHECK(contains(out.str(), "v/s: done, 10 of 10 cells, 10 s"));
}

TEST_CASE("on a terminal a character that does not fit is left out whole") {
    std::ostringstream out;
    double now = 0;
    Progress progress(out, ProgressMode::line, "v/s", 10, 0, 5, [&] { return now; });
    for (const char* before : {"", "x"}) {
        std::string key = before;
        for (int i = 0; i < 100; ++i) key += "\u00f6";
        now += 10;
        progress.started(key);
        progress.finished(key, false);
    }
    std::istringstream lines(out.str());
    int shown = 0;
    for (std::string line; std::getline(lines, line, '\r');) {
        const std::string words = line.substr(0, line.find('\x1b'));
        if (words.find('\xc3') == std::string::npos) continue;
        ++shown;
        CHECK(words.back() == '\xb6');
    }
    CHECK(shown >= 2);
}

TEST_CASE("quiet is quiet") {
    std::ostringstream out;
    Progress progress(out, ProgressMode::quiet, "v/s", 10, 0);
    progress.started("k");
    progress.note("something");
    progress.finished("k", true);
    progress.end("done");
    CHECK(out.str().empty());
}

TEST_CASE("lines of both kinds go on while a cell takes long, and say for how long it has") {
    /// Counts the lines that are shown, whichever thread shows them.
    struct Watched : std::stringbuf {
        std::atomic<int> shown{0};
        int sync() override {
            ++shown;
            return std::stringbuf::sync();
        }
    };
    for (const ProgressMode mode : {ProgressMode::line, ProgressMode::lines}) {
        Watched buffer;
        std::ostream out(&buffer);
        Progress progress(out, mode, "v/s", 2, 0, 0.1);
        progress.started("slow");
        progress.started("last");
        const int before = buffer.shown;
        for (int waited = 0; buffer.shown < before + 2 && waited < 60'000; ++waited) usleep(1000);
        progress.end("interrupted");
        INFO(buffer.str());
        CHECK(contains(buffer.str(), "v/s: 0/2 cells, 0 %, "));
        CHECK(contains(buffer.str(), ", at slow for "));
    }
}

TEST_CASE("of a cell at work its share is said, and its time once that is long") {
    std::ostringstream out;
    double now = 0;
    Progress progress(out, ProgressMode::lines, "v/s", 2, 0, 5, [&] { return now; });
    progress.started("a");
    now = 6;
    progress.within("a", 0.25, "step 1 of 4");
    now = 12;
    progress.within("a", 0.5, "");
    CHECK(contains(out.str(), ", at a, 25 % of it: step 1 of 4\n"));
    CHECK(contains(out.str(), ", at a for 12 s, 50 % of it\n"));
}

TEST_CASE("a cell that does not tell its share is compared with what is known of others") {
    std::ostringstream out;
    double now = 0;
    Progress progress(out, ProgressMode::lines, "v/s", 3, 0, 5, [&] { return now; });
    progress.started("a");
    now = 12;
    progress.within("a", 0, "");
    CHECK(contains(out.str(), ", at a for 12 s\n"));
    progress.expect(40);
    now = 20;
    progress.within("a", 0, "");
    CHECK(contains(out.str(), ", at a for 20 s; a cell takes about 40 s\n"));
    now = 30;
    progress.finished("a", false);
    progress.started("b");
    now = 32;
    progress.finished("b", true);  // what failed says nothing
    progress.started("c");
    now = 44;
    progress.within("c", 0, "");
    CHECK(contains(out.str(), ", at c for 12 s; those before took 30 s on average\n"));
}

TEST_CASE("a cell that counts its parts is shown with the share that is done") {
    const Folder folder;
    std::ostringstream out;
    engine::Options options = quiet(folder.path(), 1);
    options.progress = ProgressMode::line;
    options.out = &out;
    engine::Plan whole = plan();
    whole.cells.resize(1);
    whole.cells[0].key = "k";
    engine::run(
        whole,
        [](const engine::Cell& cell) {
            for ([[maybe_unused]] const rfbench::Index part : rfbench::parallel::Parts(4))
                std::this_thread::sleep_for(std::chrono::milliseconds(150));
            return compute(cell);
        },
        options);
    INFO(out.str());
    CHECK(contains(out.str(), "50 % of it"));
    CHECK(contains(out.str(), "75 % of it"));
}

TEST_CASE("cells that wait together to be stored take a time of their number, not of its square") {
    const auto seconds = [](int cells) {
        std::ostringstream out;
        Progress progress(out, ProgressMode::quiet, "v/s", static_cast<std::size_t>(cells), 0, 5, [] { return 0.0; });
        const std::clock_t begin = std::clock();
        for (int i = 0; i < cells; ++i) progress.started("cell=" + std::to_string(i));
        // The first and the last that are left, in turns.
        for (int i = 0; i < cells; ++i)
            progress.finished("cell=" + std::to_string(i % 2 == 0 ? i / 2 : cells - 1 - i / 2), false);
        return static_cast<double>(std::clock() - begin);
    };
    // 16 times as many: a factor of 16, or of 256. Between both, the middle of their logarithms.
    CHECK(seconds(32000) < 64 * seconds(2000));
}
