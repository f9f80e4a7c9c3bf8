#include "rfbench/engine/checkpoint.hpp"

#include <utility>

#include "rfbench/engine/seconds_now.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/dataset_bytes.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::engine {
Checkpoint::Checkpoint(std::filesystem::path file, double interval, std::function<bool()> stopping,
                       std::function<void(double, const std::string&)> tell)
    : file_(std::move(file)),
      interval_(interval),
      kept_at_(seconds_now()),
      stopping_(std::move(stopping)),
      tell_(std::move(tell)) {}

// The digest of the rest comes first, in 64 characters.
std::optional<store::Dataset> Checkpoint::last() const {
    if (file_.empty()) return std::nullopt;
    constexpr std::size_t digits = 64;
    try {
        const std::string all = store::read_if_there(file_).value_or("");
        if (all.size() < digits || store::sha256(all.substr(digits)) != all.substr(0, digits)) return std::nullopt;
        const std::vector<std::string> parts = store::texts_from(std::string_view(all).substr(digits));
        if (parts.size() == 2) return store::dataset_from(parts[0], parts[1]);
    } catch (const store::Error&) {
    }
    return std::nullopt;
}

void Checkpoint::save_if_due(const std::function<store::Dataset()>& now) {
    // One failure to write is enough: the cell is computed on without checkpoints.
    if (file_.empty() || !trouble_.empty()) return;
    const bool stopping = stopping_();
    if (!stopping && seconds_now() - kept_at_ < interval_) return;
    try {
        const store::Dataset data = now();
        const std::string bytes = store::text_bytes({store::frame_bytes(data), store::value_bytes(data)});
        store::make_folders(file_.parent_path());
        store::write_file(file_, store::sha256(bytes) + bytes);
    } catch (const store::Error& error) {
        trouble_ = error.what();
        return;
    }
    if (stopping) throw StopRequested();
    kept_at_ = seconds_now();
}

void Checkpoint::remove() const {
    std::error_code unimportant;
    if (!file_.empty()) std::filesystem::remove(file_, unimportant);
}

}  // namespace rfbench::engine
