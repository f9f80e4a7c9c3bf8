// rfbench verify: every result file against the checksum it was written with.
#include "rfbench/store/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "drawing.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

int verify(const std::filesystem::path& results, const std::vector<std::string>& names) {
    const auto files = collected_files(results, names);
    if (files.empty()) {
        std::cerr << "rfbench: there are no results in " << results.string() << '\n';
        return nothing_selected;
    }
    bool harmful = false;
    for (std::filesystem::path folder : files) {
        folder.replace_extension();
        const auto findings = store::verify(folder);
        const auto bad = std::count_if(findings.begin(), findings.end(), [](const auto& f) { return f.harmful(); });
        fmt::print("{}: {}\n", folder.string(),
                   bad == 0 ? "every file is as it was written" : fmt::format("{} bad", bad));
        for (const store::Finding& finding : findings)
            fmt::print("  {}: {}: {}\n", name(finding.damage), finding.file.string(), finding.detail);
        harmful = harmful || bad > 0;
    }
    return harmful ? verification_failed : success;
}

}  // namespace rfbench::cli
