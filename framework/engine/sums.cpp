#include "rfbench/engine/sums.hpp"

#include "rfbench/store/checksums.hpp"
#include "rfbench/store/sha256.hpp"

namespace rfbench::engine {
namespace {

void add(store::Checksums& sums, const std::filesystem::path& folder, const std::filesystem::path& file) {
    const auto absolute = [](const auto& path) { return std::filesystem::absolute(path).lexically_normal(); };
    sums[absolute(file).lexically_relative(absolute(folder)).generic_string()] = store::sha256_file(file);
}

}  // namespace

void write_sums(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& files) {
    store::Checksums sums;
    for (const std::filesystem::path& file : files) add(sums, folder, file);
    store::write_checksums(folder, sums);
}

void list_sums(const std::filesystem::path& folder, const std::string& part,
               const std::vector<std::filesystem::path>& files) {
    store::Checksums sums = store::read_checksums(folder);
    std::erase_if(sums, [&](const auto& entry) { return entry.first.starts_with(part + "/"); });
    for (const std::filesystem::path& file : files)
        if (std::filesystem::exists(file)) add(sums, folder, file);
    store::write_checksums(folder, sums);
}

}  // namespace rfbench::engine
