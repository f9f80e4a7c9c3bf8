#pragma once
#include <filesystem>

#include "rfbench/claims/judge.hpp"

namespace rfbench::cli {

/// The project's list of claims.
claims::ClaimList claim_list();

/// The answers of a folder's result files to a list, which must outlive the answers. Throws store::Error for a file
/// that is damaged.
std::vector<claims::Answer> answers_of(const claims::ClaimList&, const std::filesystem::path& results);

}  // namespace rfbench::cli
