// rfbench export --to: a result file as a tidy table, for pandas, R and Julia.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "rfbench/datasets/npy.hpp"
#include "rfbench/datasets/npz_writer.hpp"
#include "rfbench/errors.hpp"
#include "rfbench/report/long_table.hpp"
#include "rfbench/store/atomic_file.hpp"
#include "rfbench/store/hdf5_file.hpp"
#include "rfbench/text/nearest.hpp"
#include "verbs.hpp"

namespace rfbench::cli {

namespace {

void require_variables(const store::Dataset& data, const std::vector<std::string>& names) {
    std::vector<std::string> known;
    for (const store::Variable& variable : data.variables) known.push_back(variable.name);
    for (const std::string& name : names)
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw InputError(fmt::format("export: the file has no variable '{}'; it has: {}.{}", name,
                                         fmt::join(known, ", "), did_you_mean(name, known)));
}

std::string archive(const std::vector<report::LongColumn>& columns) {
    std::vector<std::pair<std::string, std::string>> members;
    for (const report::LongColumn& column : columns) {
        if (const auto* words = std::get_if<std::vector<std::string>>(&column.entries))
            members.emplace_back(column.name, datasets::npy_words(*words));
        else if (const auto& numbers = std::get<std::vector<double>>(column.entries); true)
            members.emplace_back(column.name, datasets::npy_text({numbers.size()}, numbers));
    }
    return datasets::npz(members);
}

}  // namespace

int export_table(const ExportOptions& options) {
    const store::Dataset data = store::read(options.file);
    require_variables(data, options.variables);
    const auto columns = report::long_table(data, options.variables);
    if (options.to == "npz" && options.out.empty())
        throw InputError("export: an archive is written to a file: --out FILE.npz");
    if (!options.out.empty() && options.out.extension() != "." + options.to)
        throw InputError(fmt::format("export: --to {} writes a file whose name ends in .{}, unlike {}", options.to,
                                     options.to, options.out.string()));
    const std::string text = options.to == "npz" ? archive(columns) : report::long_csv(columns);
    if (options.out.empty()) {
        fmt::print("{}", text);
        return success;
    }
    store::write_file(options.out, text);
    fmt::print("{}\n", options.out.string());
    return success;
}

}  // namespace rfbench::cli
