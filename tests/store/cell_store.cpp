#include "rfbench/store/cell_store.hpp"

#include <limits>

#include "catch.hpp"
#include "datasets.hpp"
#include "rfbench/store/error.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"

using namespace rfbench::store;
using namespace rfbench::tests;

namespace {

StoredCell cell(double value) {
    return {{"study: a/b\nseed: 1\n", "gamma: " + std::to_string(value) + "\n"},
            {{"version", "1"}, {"git_commit", "abc"}},
            small_dataset(value)};
}

}  // namespace

TEST_CASE("a cell is found by its identity, by this process and by the next") {
    const TemporaryFolder folder(Medium::memory);
    const Digest a = digest("a"), b = digest("b");
    {
        CellStore store(folder / "cells");
        CHECK(store.find(a) == nullptr);
        store.add(a, 1, 0.5, cell(3));
        store.add(b, 2, 1.5, cell(4));
        store.commit();
        CHECK(same(store.read(*store.find(a)).data, cell(3).data));
    }
    const CellStore store(folder / "cells");
    REQUIRE(store.find(b) != nullptr);
    const StoredCell read = store.read(*store.find(b));
    CHECK(same(read.data, cell(4).data));
    CHECK(read.recipe.common == cell(4).recipe.common);
    CHECK(store.recipe(*store.find(b)).own == cell(4).recipe.own);
    CHECK(read.provenance == cell(4).provenance);
    CHECK(store.find(b)->record.seconds == 1.5);
    CHECK(store.cells().size() == 2);
    CHECK(store.newest_at(1)->record.identity == a);
    CHECK(store.newest_at(7) == nullptr);
}

TEST_CASE("of two cells of one identity, and of two at one place, the newer counts") {
    const TemporaryFolder folder(Medium::memory);
    const Digest a = digest("a"), b = digest("b");
    for (const double value : {1.0, 2.0}) {
        CellStore store(folder.path());
        const Digest content = store.add(a, 9, 0, cell(value));
        store.commit();
        CHECK(store.find(a)->record.content == content);
    }
    CellStore store(folder.path());
    CHECK(same(store.read(*store.find(a)).data, cell(2).data));
    CHECK(store.packs().size() == 2);
    store.add(b, 9, 0, cell(5));
    store.commit();
    CHECK(CellStore(folder.path()).newest_at(9)->record.identity == b);
    CHECK(same(CellStore(folder.path()).read(*CellStore(folder.path()).find(a)).data, cell(2).data));
}

TEST_CASE("what cells share is stored once a pack") {
    const TemporaryFolder folder(Medium::memory);
    CellStore store(folder.path());
    for (int i = 0; i < 100; ++i) store.add(digest(std::to_string(i)), 0, 0, cell(i));
    store.commit();
    const PackContents contents = read_pack(store.packs().front());
    CHECK(contents.records.size() == 102);  // of all the origin and the frame
}

TEST_CASE("a copy has all that its cell needs") {
    const TemporaryFolder from(Medium::memory), to(Medium::memory);
    CellStore ours(to.path());
    {
        CellStore theirs(from.path());
        theirs.add(digest("a"), 1, 0.25, cell(3));
        theirs.commit();
        ours.copy(theirs, *theirs.find(digest("a")));
        ours.commit();
    }
    std::filesystem::remove_all(from.path());
    const CellStore again(to.path());
    CHECK(same(again.read(*again.find(digest("a"))).data, cell(3).data));
    CHECK(again.find(digest("a"))->record.seconds == 0.25);
}

TEST_CASE("a cell that is damaged, or whose shared texts are gone, is refused by name") {
    const TemporaryFolder folder(Medium::memory);
    std::filesystem::path pack;
    Record record;
    {
        CellStore store(folder.path());
        store.add(digest("a"), 1, 0, cell(3));
        store.commit();
        pack = store.packs().front();
        record = store.find(digest("a"))->record;
    }
    std::string bytes = bytes_of(pack);
    SECTION("its values") { bytes[record.offset + record.size - 1] ^= 1; }
    SECTION("the texts before it") { bytes[150] ^= 1; }
    SECTION("the head of one") { bytes[20] ^= 1; }
    put_bytes(pack, bytes);
    const CellStore store(folder.path());
    const std::string said = refusal<Error>([&] { store.read(*store.find(digest("a"))); });
    INFO(said);
    CHECK(contains(said, pack.string()));
}

TEST_CASE("a shared text that is damaged in one pack is read from another") {
    const TemporaryFolder folder(Medium::memory);
    std::filesystem::path newer;
    {
        CellStore store(folder.path());
        store.add(digest("a"), 1, 0, cell(3));
        store.commit();
    }
    {
        CellStore store(folder.path());
        store.add(digest("b"), 2, 0, cell(4));
        store.commit();
        newer = store.packs().at(store.find(digest("b"))->pack);
    }
    std::string bytes = bytes_of(newer);
    bytes[150] ^= 1;
    put_bytes(newer, bytes);
    const CellStore store(folder.path());
    CHECK(same(store.read(*store.find(digest("a"))).data, cell(3).data));
    CHECK(same(store.read(*store.find(digest("b"))).data, cell(4).data));
}

TEST_CASE("a pack that another process has removed meanwhile is not held") {
    const TemporaryFolder folder(Medium::memory);
    CHECK(hold_pack(folder.path() / "a-1-2.pack") == nullptr);
}

TEST_CASE("files that are no packs are passed over, and a folder that is not there is empty") {
    const TemporaryFolder folder(Medium::memory);
    folder.write("notes.txt", "mine");
    CHECK(CellStore(folder.path()).cells().empty());
    CHECK(CellStore(folder / "nowhere").cells().empty());
    CHECK(!std::filesystem::exists(folder / "nowhere"));
}

TEST_CASE("a cell that is stored now is the newest, whatever the clock said before, for later readers too") {
    const TemporaryFolder folder(Medium::memory);
    const Digest a = digest("a"), b = digest("b");
    for (const std::int64_t ahead : {std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max() - 2}) {
        const auto cells = folder / std::to_string(ahead);
        {
            CellStore now(folder / ("now" + std::to_string(ahead))), later(cells);
            now.add(a, 1, 1, cell(1));
            now.commit();
            Entry entry = *now.find(a);
            entry.record.time = ahead;
            later.copy(now, entry);
            later.commit();
        }
        for (const double value : {2.0, 3.0}) {
            CellStore store(cells);
            store.add(value == 2 ? a : b, 1, 1, cell(value));
            store.commit();
            CHECK(same(store.read(*store.newest_at(1)).data, cell(value).data));
        }
        const CellStore store(cells);
        CHECK(same(store.read(*store.find(a)).data, cell(2).data));
        CHECK(same(store.read(*store.newest_at(1)).data, cell(3).data));
    }
}

TEST_CASE("a pack that was emptied, cut or overwritten is faulty; a file of somebody else's is none") {
    const TemporaryFolder folder(Medium::memory);
    const auto fill = [&] {
        CellStore store(folder / "cells");
        store.add(digest("a"), 1, 1, cell(1));
        store.commit();
        return store.packs().front();
    };
    const auto pack = fill();
    const std::string whole = bytes_of(pack);
    CHECK(CellStore(folder / "cells").faulty().empty());
    struct Case {
        std::string bytes;
        bool damaged;
    };
    // The last record may be torn by a kill; no kill leaves a pack without a record.
    for (const Case& one :
         {Case{"", true}, Case{whole.substr(0, 100), true}, Case{std::string(whole.size(), '\0'), true},
          Case{whole.substr(0, whole.size() - 9), false}, Case{whole + "12345678" + whole, true}}) {
        put_bytes(pack, one.bytes);
        const CellStore store(folder / "cells");
        CHECK(store.faulty() == std::vector{pack});
        CHECK(store.damaged().empty() != one.damaged);
        CHECK(store.foreign().empty());
    }
    put_bytes(pack, whole);
    put_bytes(folder / "cells/pack-1.pack", "PACK of another program");
    const CellStore store(folder / "cells");
    CHECK(store.faulty().empty());
    CHECK(store.foreign().size() == 1);
    CHECK(store.damaged().size() <= 1);
}

TEST_CASE("a cell is checked with what it shares with others") {
    const TemporaryFolder folder(Medium::memory);
    {
        CellStore store(folder / "cells");
        store.add(digest("a"), 1, 1, cell(1));
        store.commit();
        CHECK_NOTHROW(store.check_bytes(*store.find(digest("a"))));
    }
    const auto pack = CellStore(folder / "cells").packs().front();
    const std::string whole = bytes_of(pack);
    for (const Record& record : read_pack(pack).records) {
        std::string bytes = whole;
        bytes[record.offset] = char(bytes[record.offset] ^ 1);
        put_bytes(pack, bytes);
        const CellStore store(folder / "cells");
        CHECK_THROWS_AS(store.check_bytes(*store.find(digest("a"))), Error);
    }
}
