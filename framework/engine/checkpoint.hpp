#pragma once
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "rfbench/store/dataset.hpp"

namespace rfbench::engine {

/// Thrown by Checkpoint::offer: the run is to stop, and what the cell has come to is on the disk.
class StopRequested : public std::exception {
public:
    const char* what() const noexcept override { return "the run stops"; }
};

/// Checkpoint of a cell that takes long: kept while it is computed, so that a run after an interruption goes on from
/// there. Used by one thread. A cell must end with the same bits however often it was interrupted.
class Checkpoint {
public:
    Checkpoint() = default;  ///< keeps nothing
    /// `file` is the cell's own; `stopping` says whether the run is to stop; `tell` tells the user how far it has come.
    Checkpoint(std::filesystem::path file, double interval, std::function<bool()> stopping,
               std::function<void(double share, const std::string& words)> tell = {});

    /// The newest checkpoint; nothing if there is none, or if its file is not as it was written.
    std::optional<store::Dataset> last() const;

    /// To be called wherever the cell could be taken up again. Keeps what `now` gives when it is `interval` seconds or
    /// longer since anything was kept, and when the run is to stop: then throws StopRequested. Where the file cannot be
    /// written the cell is computed on as if there were no checkpoints.
    void save_if_due(const std::function<store::Dataset()>& now);

    /// How far the cell has come, for whoever waits: the share of its work, and what else there is to say.
    void tell(double share, const std::string& words) const {
        if (tell_) tell_(share, words);
    }

    /// The cell is stored: removes the file.
    void remove() const;

    const std::string& trouble() const { return trouble_; }  ///< why nothing could be kept; empty where all went well

private:
    std::filesystem::path file_;
    double interval_ = 0, kept_at_ = 0;
    std::function<bool()> stopping_;
    std::function<void(double, const std::string&)> tell_;
    std::string trouble_;
};

}  // namespace rfbench::engine
