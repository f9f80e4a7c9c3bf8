#include "rfbench/datasets/locate.hpp"

#include <fmt/format.h>

#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/gzip.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::datasets {

namespace {

namespace fs = std::filesystem;

/// Room for what a packer adds to data that cannot be compressed.
constexpr std::size_t packing_room = 1 << 16;

Candidate looked_at(const std::string& source, const fs::path& path, const DataFile& file) {
    Candidate candidate{source, path, State::absent, "there is no such file", ""};
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return candidate;
    try {
        candidate.contents = checked_contents(file_bytes(path, file.size + packing_room), file, path.string());
        candidate.state = State::good;
        candidate.detail.clear();
    } catch (const DataError& failure) {
        candidate.state = State::wrong;
        candidate.detail = failure.what();
        const std::string place = path.string() + ": ";
        if (candidate.detail.starts_with(place)) candidate.detail.erase(0, place.size());
    }
    return candidate;
}

/// Looks for `path`, then for `path`.gz, in a folder. False when `visit` has seen enough.
bool visit_folder(const std::string& source, const fs::path& folder, const DataFile& file,
                  const std::function<bool(const Candidate&)>& visit) {
    const Candidate plain = looked_at(source, folder / file.path, file);
    if (plain.state != State::absent && !visit(plain)) return false;
    const Candidate packed = looked_at(source, folder / (file.path + ".gz"), file);
    if (packed.state != State::absent) return visit(packed);
    return plain.state != State::absent || visit(plain);
}

std::string ways_to_get(const Entry& entry, const DataFile& file) {
    std::string text;
    for (const Source& source : file.sources) {
        if (!source.package.empty()) text += fmt::format("\n  apt-get install {}", source.package);
    }
    for (const Source& source : file.sources) {
        if (source.url.empty()) continue;
        text += fmt::format("\n  rfbench data fetch {}   ({}, licence {})", entry.name, source.url, entry.licence);
        break;
    }
    return text + fmt::format("\n  or put the file at FOLDER/{} and set RFBENCH_DATA=FOLDER", file.path);
}

}  // namespace

std::string checked_contents(std::string bytes, const DataFile& file, const std::string& name) {
    if (is_gzip(bytes)) bytes = gunzip(bytes, file.size, name);
    const std::string found = store::sha256(bytes);
    if (found != file.sha256) {
        refuse({name}, fmt::format("has the wrong contents: sha256 expected {}, found {} ({} bytes expected, {} found)",
                                   file.sha256, found, file.size, bytes.size()));
    }
    return bytes;
}

void survey(const DataFile& file, const Places& places, const std::function<bool(const Candidate&)>& visit) {
    std::error_code ignored;
    if (places.data_folder.empty()) {
        if (!visit({"RFBENCH_DATA", {}, State::absent, "the variable is not set", ""})) return;
    } else if (!fs::is_directory(places.data_folder, ignored)) {
        if (!visit({"RFBENCH_DATA", places.data_folder, State::wrong, "is not a folder", ""})) return;
    } else if (!visit_folder("RFBENCH_DATA", places.data_folder, file, visit)) {
        return;
    }
    for (const fs::path& cache : places.caches) {
        if (!visit_folder("cache", cache, file, visit)) return;
    }
    for (const Source& source : file.sources) {
        if (source.package.empty()) continue;
        if (!visit(looked_at(fmt::format("package {}", source.package), source.file, file))) return;
    }
}

std::vector<FoundFile> locate(const Entry& entry, const Places& places, const Warn& warn) {
    std::vector<FoundFile> found;
    for (const DataFile& file : entry.files) {
        std::string looked;
        bool good = false;
        survey(file, places, [&](const Candidate& candidate) {
            if (candidate.state == State::good) {
                found.push_back({candidate.path, candidate.source, file.sha256, candidate.contents});
                good = true;
                return false;
            }
            const std::string where = candidate.path.empty()
                                          ? candidate.source
                                          : fmt::format("{} ({})", candidate.path.string(), candidate.source);
            looked += fmt::format("\n  {}: {}", where, candidate.detail);
            if (candidate.state == State::wrong) {
                warn(fmt::format("{}: {}; going on to the next source of {}", where, candidate.detail, file.path));
            }
            return true;
        });
        if (!good) {
            throw DataError(fmt::format("data set '{}' has no good copy of {} on this machine. Looked at:{}\n"
                                        "Ways to get it:{}",
                                        entry.name, file.path, looked, ways_to_get(entry, file)));
        }
    }
    return found;
}

}  // namespace rfbench::datasets
