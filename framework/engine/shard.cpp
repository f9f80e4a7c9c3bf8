#include "rfbench/engine/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

#include "rfbench/errors.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/descriptor.hpp"
#include "rfbench/store/error.hpp"
#include "rfbench/store/file_reading.hpp"

namespace rfbench::engine {
namespace {

constexpr std::size_t max_shards = 1'000'000;

std::vector<std::size_t> in_order(const std::vector<Load>& cells) {
    std::vector<std::size_t> order(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return cells[a].identity < cells[b].identity; });
    return order;
}

double mean_of_known(const std::vector<Load>& cells) {
    double sum = 0;
    std::size_t known = 0;
    for (const Load& cell : cells)
        if (cell.seconds > 0) sum += cell.seconds, ++known;
    return known > 0 ? sum / double(known) : 1;
}

// The first identity after each part but the last, in hex. A cell belongs to the part in which its middle lies.
std::vector<std::string> ends(const std::vector<Load>& cells, std::size_t count) {
    const double other = mean_of_known(cells);
    const auto seconds = [&](const Load& cell) { return cell.seconds > 0 ? cell.seconds : other; };
    double whole = 0;
    for (const Load& cell : cells) whole += seconds(cell);

    std::vector<std::string> result;
    double before = 0;
    for (const std::size_t i : in_order(cells)) {
        const double middle = before + seconds(cells[i]) / 2;
        // A cell that takes longer than a part ends several of them: those between are empty.
        while (result.size() + 1 < count && middle >= whole * double(result.size() + 1) / double(count))
            result.push_back(store::hex(cells[i].identity));
        before += seconds(cells[i]);
    }
    // Parts after all cells are empty.
    result.resize(count - 1, std::string(64, 'g'));
    return result;
}

std::string digest_of(const std::vector<Load>& cells) {
    store::Sha256 hash;
    for (const std::size_t i : in_order(cells)) hash.add(cells[i].identity);
    return hash.digest();
}

std::vector<std::string> read_ends(const std::filesystem::path& file, std::size_t count) {
    std::istringstream text(store::read_whole(file));
    std::vector<std::string> result;
    for (std::string line; std::getline(text, line);) result.push_back(line);
    if (result.size() != count - 1)
        throw store::Error(fmt::format("{} has {} lines where {} shards need {}; remove it", file.string(),
                                       result.size(), count, count - 1));
    return result;
}

}  // namespace

std::string Shard::name() const { return fmt::format("{}-of-{}", index, count); }

Shard parse_shard(std::string_view text) {
    Shard shard{0, 0};
    const std::size_t slash = text.find('/');
    const auto number = [](std::string_view digits, std::size_t& value) {
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return problem == std::errc() && end == digits.data() + digits.size();
    };
    const bool read = slash != std::string_view::npos && number(text.substr(0, slash), shard.index) &&
                      number(text.substr(slash + 1), shard.count);
    if (!read || shard.index < 1 || shard.index > shard.count || shard.count > max_shards)
        throw InputError(fmt::format("'{}' is no shard: 2/8 is the second of eight, numbered from 1, of at most {}",
                                     text, max_shards));
    return shard;
}

std::vector<std::size_t> cells_of(const Shard& shard, const std::vector<Load>& cells,
                                  const std::filesystem::path& folder) {
    const std::filesystem::path file =
        folder / "shards" / fmt::format("{}-of-{}", digest_of(cells).substr(0, 16), shard.count);
    if (!std::filesystem::exists(file)) {
        std::string text;
        for (const std::string& end : ends(cells, shard.count)) text += end + "\n";
        store::make_folders(file.parent_path());
        // If several shards start together, the first file written wins; every shard reads that file below.
        store::write_file_once(file, text);
    }
    const std::vector<std::string> bounds = read_ends(file, shard.count);
    std::vector<std::size_t> mine;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        // An end is the first identity after its part, so that a cell with just this one belongs to the next.
        const auto part = std::upper_bound(bounds.begin(), bounds.end(), store::hex(cells[i].identity));
        if (std::size_t(part - bounds.begin()) + 1 == shard.index) mine.push_back(i);
    }
    return mine;
}

}  // namespace rfbench::engine
