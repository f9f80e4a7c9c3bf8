#include "rfbench/datasets/fetch.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "small_manifest.hpp"

using namespace rfbench::datasets;
using scene::quiet;
using scene::said;

namespace {

/// A network made of a map; an address that is not in it answers like a server without the file.
struct Network {
    std::map<std::string, std::string> pages;
    std::vector<std::string> asked;

    Download download() {
        return [this](const std::string& url) {
            asked.push_back(url);
            const auto page = pages.find(url);
            if (page == pages.end()) refuse({url}, "answers 404");
            return page->second;
        };
    }
};

const std::string two_urls =
    "          - url: https://a.example/f.zip\n            member: fruit.data\n"
    "          - url: https://b.example/f.gz\n";

std::size_t files_below(const std::filesystem::path& folder) {
    if (!std::filesystem::exists(folder)) return 0;
    const std::filesystem::recursive_directory_iterator all(folder);
    return static_cast<std::size_t>(
        std::count_if(begin(all), end(all), [](const auto& entry) { return entry.is_regular_file(); }));
}

/// A data set with two URLs, an empty cache, and what is told.
struct Shop {
    scene::Folder folder;
    Manifest manifest = scene::small_manifest(two_urls);
    const Entry& fruit = manifest.find("fruit");
    Places places{{}, {folder.path() / "cache"}};
    std::vector<std::string> told;
    Warn tell = [this](const std::string& line) { told.push_back(line); };
    Network network;

    std::vector<std::filesystem::path> fetched() { return fetch(fruit, places, tell, network.download()); }
};

}  // namespace

TEST_CASE("A fetched file is unpacked, checked, put into the cache and then found; a second fetch asks nothing") {
    Shop shop;
    shop.network.pages["https://a.example/f.zip"] = scene::zipped("fruit.data", scene::fruit_bytes);
    const auto written = shop.fetched();
    CHECK(written == std::vector<std::filesystem::path>{shop.folder.path() / "cache/market/fruit.data"});
    CHECK(locate(shop.fruit, shop.places, shop.tell).at(0).contents == scene::fruit_bytes);
    CHECK(shop.told ==
          std::vector<std::string>{
              "market/fruit.data: downloading https://a.example/f.zip (licence CC0, https://example.org/cc0)"});
    CHECK(shop.fetched().empty());
    CHECK(shop.network.asked.size() == 1);
    CHECK(files_below(shop.folder.path()) == 1);
}

TEST_CASE("A URL with other contents is told, the next is tried, and nothing wrong is ever kept") {
    Shop shop;
    shop.network.pages["https://a.example/f.zip"] = scene::zipped("fruit.data", "1,red,apple\n");
    CHECK(said([&] { shop.fetched(); }) ==
          "data set 'fruit': market/fruit.data could not be downloaded:"
          "\n  https://a.example/f.zip: has the wrong contents: sha256 expected " +
              shop.fruit.files[0].sha256 + ", found " + rfbench::store::sha256("1,red,apple\n") +
              " (40 bytes expected, 12 found)"
              "\n  https://b.example/f.gz: answers 404");
    CHECK(files_below(shop.folder.path()) == 0);

    shop.network.pages["https://b.example/f.gz"] = scene::gzipped(scene::fruit_bytes);
    CHECK(shop.fetched().size() == 1);
    CHECK(files_below(shop.folder.path()) == 1);
}

TEST_CASE("Without a URL or a cache folder there is nothing to fetch, and that is said") {
    const scene::Folder folder;
    const Manifest manifest = scene::small_manifest();
    Network network;
    CHECK(said([&] {
              fetch(manifest.find("fruit"), {{}, {folder.path()}}, quiet, network.download());
          }) == "data set 'fruit': market/fruit.data could not be downloaded: the manifest has no URL for it");
    CHECK(said([&] {
              fetch(manifest.find("fruit"), {{}, {}}, quiet, network.download());
          }) == "there is no cache folder to fetch into: run in the project, or set XDG_CACHE_HOME or HOME");
}

TEST_CASE("curl is called for https only, its output is kept, its failure told") {
    const scene::Folder folder;
    CHECK(said([] { download_with_curl("http://example.org/x"); }) ==
          "http://example.org/x: only https URLs are opened");
    const std::string arguments = folder.write("arguments", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    const std::string failing = folder.write("failing", "#!/bin/sh\necho 'no such host' >&2\nexit 6\n");
    for (const std::string& program : {arguments, failing}) {
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    }
    CHECK(download_with_curl("https://example.org/a b?c&d", arguments) ==
          "--fail\n--silent\n--globoff\n--show-error\n--location\n--proto\n=https\n--proto-redir\n=https\n--max-"
          "redirs\n5\n"
          "--connect-timeout\n20\n--max-time\n300\n--url\nhttps://example.org/a b?c&d\n");
    CHECK(said([&] { download_with_curl("https://example.org/x", failing); }) ==
          "https://example.org/x: " + failing + " failed with exit code 6: no such host");
    CHECK(said([&] { download_with_curl("https://example.org/x", folder.file("none")); }) ==
          "there is no program '" + folder.file("none") + "' to download https://example.org/x with");
}

TEST_CASE("Through a symbolic link nothing is written elsewhere") {
    for (const char* link : {"cache", "cache/market"}) {
        INFO(link);
        Shop shop;
        shop.network.pages["https://a.example/f.zip"] = scene::zipped("fruit.data", scene::fruit_bytes);
        const auto elsewhere = shop.folder.path() / "elsewhere", there = shop.folder.path() / link;
        std::filesystem::create_directories(elsewhere);
        std::filesystem::create_directories(there.parent_path());
        std::filesystem::create_directory_symlink(elsewhere, there);
        CHECK(said([&] { shop.fetched(); }).starts_with(there.string() + ": is a symbolic link"));
        CHECK(files_below(elsewhere) == 0);
    }
}

TEST_CASE("A cache folder that cannot be made is named") {
    const scene::Folder folder;
    const Manifest manifest = scene::small_manifest(two_urls);
    Network network;
    network.pages["https://a.example/f.zip"] = scene::zipped("fruit.data", scene::fruit_bytes);
    const std::string file = folder.write("file", "x");
    const Places places{{}, {file}};
    CHECK(said([&] {
              fetch(
                  manifest.find("fruit"), places, [](const std::string&) {}, network.download());
          }) == file + "/market: the folder cannot be made: Not a directory");
}
