// rfbench data list|describe|verify|fetch|add.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "rfbench/datasets/describe.hpp"
#include "rfbench/datasets/fetch.hpp"
#include "rfbench/datasets/infer.hpp"
#include "rfbench/datasets/own_manifest.hpp"
#include "rfbench/datasets/unpacked.hpp"
#include "rfbench/errors.hpp"
#include "study/project.hpp"
#include "verbs.hpp"

namespace rfbench::cli {
namespace {

void tell(const std::string& sentence) { std::cerr << sentence << '\n'; }

void fetch(const datasets::Entry& entry, const datasets::Places& places) {
    const auto written =
        datasets::fetch(entry, places, tell, [](const std::string& url) { return datasets::download_with_curl(url); });
    if (written.empty()) {
        fmt::print("{}: nothing to fetch, it is here ({})\n", entry.name, datasets::present_where(entry, places));
    }
    for (const auto& path : written) fmt::print("{}: {}\n", entry.name, path.string());
}

/// True when every file of the data set is here with the right contents.
bool check(const datasets::Entry& entry, const datasets::Places& places, std::size_t width) {
    const bool present = datasets::is_present(entry, places);
    fmt::print("{:<{}}  {}\n", entry.name, width, datasets::summary(entry, places));
    return present;
}

/// Prints how the columns of a user's file are read. False if there is no such file.
bool describe_file(const std::string& file) {
    if (!std::filesystem::is_regular_file(file)) return false;
    fmt::print("{}", datasets::describe(datasets::look_at(datasets::text_of_file(file), file), file));
    return true;
}

/// A file of the user's becomes a data set of the user's manifest.
void add(const std::vector<std::string>& files, const AddOptions& options) {
    if (files.size() != 1) throw InputError("data add takes one file: rfbench data add mine.csv --label COLUMN");
    if (options.label.empty())
        throw InputError("data add needs --label, the column that is the class; 'rfbench data describe " + files[0] +
                         "' shows the columns");
    const std::filesystem::path file = std::filesystem::absolute(files[0]).lexically_normal();
    const std::string name = options.name.empty() ? file.stem().string() : options.name;
    const auto own = datasets::own_manifest_path();
    fmt::print("{}", datasets::add_own(own, experiments::data_manifest(), name, file,
                                       {options.label, options.categories, options.ignored}));
    fmt::print("{}: added to {}\n", name, own.string());
}

}  // namespace

int data(const std::string& action, const std::vector<std::string>& names, const AddOptions& options) {
    if (action == "add") {
        add(names, options);
        return success;
    }
    if (!options.name.empty() || !options.label.empty() || !options.categories.empty() || !options.ignored.empty())
        throw InputError("--name, --label, --categories and --ignored go with 'data add'");
    const auto manifest = experiments::data_manifest();
    const auto places = experiments::data_places();
    if (action == "fetch" && names.empty())
        throw InputError("data fetch needs the names of data sets; 'rfbench data list' shows them");
    std::vector<const datasets::Entry*> entries;
    entries.reserve(names.empty() ? manifest.entries.size() : names.size());
    for (const std::string& name : names)
        // A file of that name goes before a data set.
        if (action != "describe" || !describe_file(name)) entries.push_back(&manifest.find(name));
    if (names.empty())
        for (const datasets::Entry& entry : manifest.entries) entries.push_back(&entry);
    std::size_t width = 0;
    for (const datasets::Entry* entry : entries) width = std::max(width, entry->name.size());
    bool all_good = true;
    for (const datasets::Entry* entry : entries) {
        if (action == "fetch")
            fetch(*entry, places);
        else if (action == "describe")
            fmt::print("{}", datasets::describe(*entry, places));
        else
            all_good = check(*entry, places, width) && all_good;
    }
    return action == "verify" && !all_good ? verification_failed : success;
}

}  // namespace rfbench::cli
