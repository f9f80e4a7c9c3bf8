#include "rfbench/code/tree.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "rfbench/code/study_part.hpp"
#include "rfbench/code/tokens.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::code {
namespace {

namespace fs = std::filesystem;

// cli, engine: how cells are run and offered; any order and number of threads gives the same bits, which tests hold.
// code: what is here. python: the package, which no study stands on.
// report, drawing, claims, comparison, decisions: what is made of values that are there. text: words of messages.
// config: what it reads is in a cell's identity. process: what it fetches is known by its hash, which is there too.
// store: what it writes it reads again to the bit, which checksums and tests hold.
constexpr std::array<std::string_view, 13> folders_left_out{"claims",    "cli",     "code",   "comparison", "config",
                                                            "decisions", "drawing", "engine", "process",    "python",
                                                            "report",    "store",   "text"};

bool is_study(const std::vector<std::string>& tokens) {
    constexpr std::array<std::string_view, 3> head{"Sweep", "prepare", "("};
    return std::search(tokens.begin(), tokens.end(), head.begin(), head.end()) != tokens.end();
}

/// Whether a study says that it takes no methods: those that study.hpp knows of are not behind it then.
bool takes_no_methods(const std::vector<std::string>& tokens) {
    constexpr std::array<std::string_view, 5> words{"MethodKey", "none", "{", "}", ";"};
    return std::search(tokens.begin(), tokens.end(), words.begin(), words.end()) != tokens.end();
}

/// "a/b" of #include "a/b".
std::vector<std::string> included(const std::vector<std::string>& tokens) {
    std::vector<std::string> all;
    for (std::size_t t = 0; t + 3 < tokens.size(); ++t)
        if (tokens[t] == "#" && tokens[t + 1] == "include" && is_literal(tokens[t + 3]))
            all.push_back(tokens[t + 3].substr(1, tokens[t + 3].size() - 2));
    return all;
}

std::string folder_of(std::string_view path) { return fs::path(path).parent_path().string(); }
std::string with_ending(std::string_view path, const char* ending) {
    return fs::path(path).replace_extension(ending).string();
}

/// The source that a name in quotes stands for in this file.
std::optional<std::string> source_named(const std::string& name, std::string_view file, const Sources& sources) {
    if (name.starts_with("rfbench/")) {
        std::string path = "framework/" + name.substr(8);
        return sources.contains(path) ? std::optional(std::move(path)) : std::nullopt;
    }
    for (const std::string& folder : {folder_of(file), std::string("experiments")}) {
        std::string path = (fs::path(folder) / name).lexically_normal().string();
        if (sources.contains(path)) return path;
    }
    return {};
}

std::string digest_of(const std::vector<std::string>& tokens) {
    std::string text;
    for (const std::string& token : tokens) text += token + '\0';
    return store::sha256(text);
}

}  // namespace

bool is_left_out(std::string_view path) {
    // A list stands on all that is in it: who compares one of them stands on its file, without the list.
    constexpr std::array<std::string_view, 6> lists{
        "framework/features/catalogue.cpp", "framework/features/mechanisms.hpp", "experiments/methods.hpp",
        "experiments/methods.cpp",          "experiments/studies.hpp",           "experiments/studies.cpp"};
    if (std::find(lists.begin(), lists.end(), path) != lists.end()) return true;
    const std::string name = fs::path(path).stem().string();
    return name.ends_with("_report") ||
           std::any_of(folders_left_out.begin(), folders_left_out.end(), [&](std::string_view folder) {
               return path.starts_with("framework/" + std::string(folder) + "/");
           });
}

Tree::Tree(const Sources& sources) {
    std::set<std::string> implements_nothing;
    for (const auto& [path, text] : sources) {
        if (is_left_out(path)) continue;
        std::vector<std::string> found = tokens(text);
        if (is_study(found)) {
            found = study_part(std::move(found));
            implements_nothing.insert(path);
            files_[path].takes_no_methods = takes_no_methods(found);
        }
        File& file = files_[path];
        file.digest = digest_of(found);
        for (const std::string& name : included(found)) {
            const auto header = source_named(name, path, sources);
            if (!header)
                throw std::invalid_argument(path + " includes \"" + name + "\", which is not among the sources");
            file.stands_on.push_back(*header);
        }
    }

    for (const auto& [path, file] : files_) {
        if (!path.ends_with(".cpp") || implements_nothing.contains(path)) continue;
        const std::string own = with_ending(path, ".hpp");
        if (sources.contains(own)) {
            if (const auto header = files_.find(own); header != files_.end()) header->second.stands_on.push_back(path);
        } else if (folder_of(path) != "experiments/methods" && folder_of(path) != "framework/features/mechanisms") {
            for (const std::string& name : file.stands_on)
                if (const auto header = files_.find(name); header != files_.end() && folder_of(name) == folder_of(path))
                    header->second.stands_on.push_back(path);
        }
    }
}

std::set<std::string> Tree::behind(const std::string& path) const {
    if (!files_.contains(path)) throw std::invalid_argument("'" + path + "' is none of the sources that count");
    std::set<std::string> reached{path};
    const bool without = files_.find(path)->second.takes_no_methods;
    for (std::vector<std::string> open{path}; !open.empty();) {
        const std::string one = open.back();
        open.pop_back();
        for (const std::string& next : files_.at(one).stands_on) {
            if (without && one == "experiments/study.hpp" && next == "experiments/method_list.hpp") continue;
            if (files_.contains(next) && reached.insert(next).second) open.push_back(next);
        }
    }
    return reached;
}

std::string Tree::digest(const std::string& path) const {
    std::string all;
    for (const std::string& file : behind(path)) all += file + ' ' + files_.at(file).digest + '\n';
    return store::sha256(all);
}

}  // namespace rfbench::code
