#include "sources/kept_networks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/text/nearest.hpp"
#include "sources/source_list.hpp"

namespace rfbench::experiments {
namespace {

/// Whether a map has the key, be it declared or not.
bool given(const config::Value& map, const std::string& key) {
    const std::vector<std::string> keys = map.keys();
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

class Requirements {
public:
    Requirements(const Configuration& foundation, const std::string& profile)
        : trained_(foundation.value),
          study_(foundation.study->experiment + "/" + foundation.study->name),
          name_(foundation.study->experiment + "/" + foundation.name),
          said_(name_ + (profile.empty() ? "" : " in profile " + profile)) {}

    /// Checks the value and all below it.
    void check(const config::Value& value) const {
        if (value.kind() == config::Kind::list)
            for (const config::Value& item : value.items()) check(item);
        if (value.kind() != config::Kind::map) return;
        if (names(value)) check_entry(value);
        // Points of heads choose one layer and one head beside the source of the heads.
        if (given(value, "heads") && value.at("heads").kind() == config::Kind::map && names(value.at("heads")))
            for (const char* key : {"layer", "head"})
                if (given(value, key)) require_at_most(value.at(key), value.at(key).integer(), std::string(key) + "s");
        for (const std::string& key : value.keys()) check(value.at(key));
    }

private:
    bool names(const config::Value& map) const {
        return given(map, "from") && map.at("from").kind() == config::Kind::text && map.at("from").text() == name_;
    }

    void check_entry(const config::Value& entry) const {
        if (study_ != "training/teachers")
            entry.at("from").refuse(fmt::format("{} keeps no networks; training/teachers does", name_));
        // A conversion has a list of sources, among which models come with their networks.
        if (given(entry, "sources")) {
            bool taken = false;
            for (const config::Value& one : entry.at("sources").items()) {
                if (one.at("use").text() == "model") continue;
                require_source(one, source_label(one));
                taken = true;
            }
            if (!taken) entry.at("from").refuse("no source takes a network from it: models come with theirs");
        }
        if (given(entry, "methods"))
            for (const config::Value& one : entry.at("methods").items())
                if (given(one, "kept")) require_at_most(one.at("kept"), one.at("kept").integer(), "layers");
        if (!given(entry, "source")) return;
        require_source(entry.at("source"), entry.at("source").text());
        if (given(entry, "seed") && entry.at("seed").integer() >= trained_.at("seeds").integer())
            entry.at("seed").refuse(fmt::format("{} is asked for; the seeds of {} are 0 to {}",
                                                entry.at("seed").integer(), said_, trained_.at("seeds").integer() - 1));
        if (given(entry, "sequences") && entry.at("sequences").integer() > trained_.at("kept").integer())
            entry.at("sequences")
                .refuse(fmt::format("{} are asked for; {} keeps {} of each source ('kept')",
                                    entry.at("sequences").integer(), said_, trained_.at("kept").integer()));
        if (given(entry, "length")) require_length(entry.at("length"), entry.at("source").text());
        for (const char* key : {"layers", "heads"})
            if (given(entry, key))
                for (const std::int64_t number : entry.at(key).integers()) require_at_most(entry.at(key), number, key);
    }

    void require_source(const config::Value& place, const std::string& source) const {
        std::vector<std::string> there;
        for (const config::Value& one : trained_.at("sources").items()) there.push_back(source_label(one));
        if (std::find(there.begin(), there.end(), source) != there.end()) return;
        place.refuse(fmt::format("{} trains no network of '{}'; it has {}.{}", said_, source, fmt::join(there, ", "),
                                 did_you_mean(source, there)));
    }

    /// Sources without a `length` are checked with their sequences.
    void require_length(const config::Value& place, const std::string& source) const {
        for (const config::Value& one : trained_.at("sources").items())
            if (source_label(one) == source && given(one, "length") && place.integer() > one.at("length").integer())
                place.refuse(fmt::format("{} tokens are asked for; sequences of '{}' in {} have {}", place.integer(),
                                         source, said_, one.at("length").integer()));
    }

    /// `key`: layers or heads of the networks.
    void require_at_most(const config::Value& place, std::int64_t number, const std::string& key) const {
        if (number > trained_.at(key).integer())
            place.refuse(fmt::format("{} is asked for; the networks of {} have {} {}", number, said_,
                                     trained_.at(key).integer(), key));
    }

    const config::Value& trained_;
    std::string study_, name_, said_;
};

}  // namespace

void require_networks(const config::Value& asking, const Configuration& foundation, const std::string& profile) {
    Requirements(foundation, profile).check(asking);
}

}  // namespace rfbench::experiments
