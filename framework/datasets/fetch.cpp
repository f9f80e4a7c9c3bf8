#include "rfbench/datasets/fetch.hpp"

#include <fmt/format.h>

#include <system_error>

#include "rfbench/datasets/zip.hpp"
#include "rfbench/process/run.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/text/utf8.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::size_t max_download_bytes = std::size_t{64} << 20;
constexpr std::size_t max_told = 2000;  // bytes of a program's errors that are told

bool has_good_copy(const DataFile& file, const Places& places) {
    bool good = false;
    survey(file, places, [&](const Candidate& candidate) {
        good = candidate.state == State::good;
        return !good;
    });
    return good;
}

/// Contents from the network, which count only with the manifest's sha256, once they are unpacked.
std::string contents_from(const Source& source, const DataFile& file, const Download& download) {
    std::string bytes = download(source.url);
    if (!source.member.empty()) bytes = unzip(bytes, source.member, file.size, source.url);
    return checked_contents(std::move(bytes), file, source.url);
}

/// The checked contents from the first URL that gives them.
std::string downloaded(const Entry& entry, const DataFile& file, const Warn& tell, const Download& download) {
    std::string failures;
    for (const Source& source : file.sources) {
        if (source.url.empty()) continue;
        tell(fmt::format("{}: downloading {} (licence {}, {})", file.path, source.url, entry.licence,
                         entry.licence_url));
        try {
            return contents_from(source, file, download);
        } catch (const DataError& failure) {
            tell(failure.what());
            failures += fmt::format("\n  {}", failure.what());
        }
    }
    if (failures.empty()) failures = " the manifest has no URL for it";
    throw DataError(fmt::format("data set '{}': {} could not be downloaded:{}", entry.name, file.path, failures));
}

/// Makes a folder below that of a cache. One that is a link would have files written elsewhere.
void make_folder(const std::filesystem::path& cache, const std::filesystem::path& folder) {
    std::filesystem::path at = cache;
    const auto refuse_link = [&] {
        if (std::filesystem::is_symlink(std::filesystem::symlink_status(at)))
            refuse({at.string()},
                   "is a symbolic link, and data are written to no other place than they are looked "
                   "for in; RFBENCH_DATA names a folder elsewhere that has them");
    };
    refuse_link();
    for (const auto& part : folder.lexically_relative(cache)) {
        at /= part;
        refuse_link();
    }
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) refuse({folder.string()}, "the folder cannot be made: " + failure.message());
}

}  // namespace

std::string download_with_curl(const std::string& url, const std::string& program) {
    if (!url.starts_with("https://")) refuse({url}, "only https URLs are opened");
    // A bracket in a URL is no pattern of many (--globoff), and no redirection leaves https.
    const auto result = process::run({.program = program,
                                      .arguments = {"--fail", "--silent", "--globoff", "--show-error", "--location",
                                                    "--proto", "=https", "--proto-redir", "=https", "--max-redirs", "5",
                                                    "--connect-timeout", "20", "--max-time", "300", "--url", url},
                                      .output = max_download_bytes});
    if (!result) throw DataError(fmt::format("there is no program '{}' to download {} with", program, url));
    if (result->ending == process::Ending::too_much_output)
        refuse({url}, fmt::format("sends more than the {} bytes allowed", max_download_bytes));
    if (result->exit_code != 0) {
        std::string said(utf8_prefix(result->errors, max_told));
        while (said.ends_with('\n')) said.pop_back();
        refuse({url}, fmt::format("{} failed with exit code {}{}{}", program, result->exit_code,
                                  said.empty() ? "" : ": ", said));
    }
    return result->output;
}

std::vector<std::filesystem::path> fetch(const Entry& entry, const Places& places, const Warn& tell,
                                         const Download& download) {
    if (places.caches.empty()) {
        throw DataError("there is no cache folder to fetch into: run in the project, or set XDG_CACHE_HOME or HOME");
    }
    std::vector<std::filesystem::path> written;
    for (const DataFile& file : entry.files) {
        // A copy anywhere on this machine is as good: only what is nowhere is downloaded.
        if (has_good_copy(file, places)) continue;
        const std::string contents = downloaded(entry, file, tell, download);
        const std::filesystem::path path = places.caches.front() / file.path;
        make_folder(places.caches.front(), path.parent_path());
        store::remove_temporaries_beside(path);
        store::write_file(path, contents);
        written.push_back(path);
    }
    return written;
}

}  // namespace rfbench::datasets
