#pragma once
// Lists of sources in a configuration: one grammar for points, sequences to classify and data sets.
#include <algorithm>
#include <string>
#include <vector>

#include "rfbench/config/schema.hpp"
#include "rfbench/datasets/locate.hpp"
#include "rfbench/datasets/place.hpp"
#include "study/axis.hpp"

namespace rfbench::experiments {

/// The keys `label` and `optional` that an entry of such a list has, whatever it is.
std::vector<config::KeyRule> source_keys();

/// Settings of an entry, but for some of its keys, in words.
std::string settings_but(const config::Value& entry, const std::vector<std::string>& without);

/// Name of a source in results: its label, or the source that it uses.
std::string source_label(const config::Value& entry);

/// The sources in a list, as an axis that stands for its key; each counts by what its entry says and by its data.
template <class T>
struct SourceList {
    Axis<T> axis;
    std::vector<std::string> notes;
};

/// `read(entry, label, warn)` gives a source, `hash_of(source)` the hash of its data, empty where it has none. An
/// optional source whose data are not here is left out with a note. Throws datasets::DataError where none is left, and
/// config::Error where two have one label.
template <class T, class Read, class HashOf>
SourceList<T> source_list(const Key& key, Axis<T> axis, const Read& read, const HashOf& hash_of) {
    SourceList<T> list{std::move(axis), {}};
    list.axis.keys = {key.name};
    std::vector<std::string> labels;
    const datasets::Warn warn = [&](const std::string& sentence) { list.notes.push_back(sentence); };
    for (const config::Value& entry : key.value().items()) {
        const std::string label = source_label(entry);
        if (std::find(labels.begin(), labels.end(), label) != labels.end())
            entry.refuse("an earlier source is called '" + label + "' too; give this one a label");
        try {
            list.axis.values.push_back(read(entry, label, warn));
        } catch (const datasets::MissingData& missing) {
            if (!entry.at("optional").boolean()) throw;
            warn("'" + label + "' is left out: " + missing.what());
            continue;
        }
        labels.push_back(label);
        list.axis.contents.push_back(settings_but(entry, {"label", "optional"}));
        list.axis.data.push_back(hash_of(list.axis.values.back()));
    }
    if (labels.empty())
        throw datasets::MissingData("nothing of '" + key.name + "' is on this machine: " + list.notes.back());
    list.axis.labels = std::move(labels);
    return list;
}

}  // namespace rfbench::experiments
