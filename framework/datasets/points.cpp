#include "rfbench/datasets/points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "rfbench/datasets/delimited.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/hdf5_array.hpp"
#include "rfbench/datasets/names_line.hpp"
#include "rfbench/datasets/npz.hpp"
#include "rfbench/datasets/unpacked.hpp"
#include "rfbench/datasets/zip.hpp"
#include "rfbench/text/counted.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::size_t largest_text = std::size_t{1} << 31;

/// The lines that hold something, comments taken off.
std::vector<Line> data_lines(std::string_view text) {
    std::vector<Line> lines = lines_of(text);
    for (Line& line : lines) line.text = line.text.substr(0, line.text.find('#'));
    std::erase_if(lines, [](const Line& line) { return is_blank(line.text); });
    return lines;
}

struct Where {
    std::string file;
    std::string dataset;
};

/// A whole name that is a file wins over one that is split at a colon.
Where taken_apart(const std::string& where) {
    std::error_code ignored;
    if (std::filesystem::exists(where, ignored)) return {where, ""};
    // Paths may have colons themselves: the first behind which a file's name ends counts.
    for (std::size_t colon = where.find(':'); colon != std::string::npos; colon = where.find(':', colon + 1)) {
        if (std::filesystem::is_regular_file(where.substr(0, colon), ignored)) {
            return {where.substr(0, colon), where.substr(colon + 1)};
        }
    }
    return {where, ""};
}

/// Throws DataError where the squared length of a point is beyond double: nothing can be computed of it.
Points measurable(Points points, const std::string& where) {
    for (Index row = 0; row < points.rows(); ++row) {
        if (std::isfinite(points.row(row).squaredNorm())) continue;
        Index column = 0;
        points.row(row).cwiseAbs().maxCoeff(&column);
        refuse({where},
               fmt::format("point {} has the coordinate {}; squared lengths must be below {:.1e}, where double "
                           "ends",
                           row + 1, points(row, column), std::numeric_limits<double>::max()));
    }
    return points;
}

}  // namespace

std::string file_of_points(const std::string& where) { return taken_apart(where).file; }

Points read_points_text(std::string_view text, std::string_view file) {
    std::vector<Line> lines = data_lines(text);
    if (lines.empty()) refuse({file}, "holds no points");

    const Separator separator = separator_of(lines.front().text);
    std::vector<std::string_view> fields;
    split(lines.front().text, separator, fields);
    const std::size_t columns = fields.size();
    if (is_words(fields) && lines.size() == 1) refuse({file}, "holds a header line but no points");
    std::vector<std::string_view> second;
    if (lines.size() > 1) split(lines[1].text, separator, second);
    const bool named = is_words(fields) || are_numbered_names(fields, second, {file, lines.front().number});
    const std::size_t first = named ? 1 : 0;

    Points points(static_cast<Index>(lines.size() - first), static_cast<Index>(columns));
    for (std::size_t row = first; row < lines.size(); ++row) {
        const Line& line = lines[row];
        split(line.text, separator, fields);
        if (fields.size() != columns) {
            refuse({file, line.number}, "has " + counted(fields.size(), "column") + " separated by " +
                                            name_of(separator) + ", but line " + std::to_string(lines.front().number) +
                                            " has " + std::to_string(columns));
        }
        for (std::size_t column = 0; column < columns; ++column) {
            points(static_cast<Index>(row - first), static_cast<Index>(column)) =
                number(fields[column], {file, line.number, column + 1});
        }
    }
    return points;
}

Points read_points(const std::string& where) {
    const auto [file, name] = taken_apart(where);
    // Told by its first bytes, before it is read whole: of an HDF5 file one dataset is wanted.
    if (is_hdf5(file)) return measurable(read_points_hdf5(file, name), where);
    std::string bytes = file_bytes(file, largest_text);
    if (is_zip(bytes)) {
        const Zip archive(bytes, file);
        if (!npz_names(archive).empty()) return measurable(read_points_npz(archive, name), where);
    }
    if (!name.empty()) refuse({file}, "is neither HDF5 nor .npz, so it has no array " + in_quotes(name));
    bytes = unpacked(std::move(bytes), largest_text, file);
    return measurable(is_npy(bytes) ? points_of(file, read_npy(file, bytes)) : read_points_text(bytes, file), where);
}

}  // namespace rfbench::datasets
