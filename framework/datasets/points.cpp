#include "rfbench/datasets/points.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "rfbench/datasets/delimited.hpp"
#include "rfbench/datasets/file_bytes.hpp"
#include "rfbench/datasets/npy.hpp"
#include "rfbench/text/counted.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::size_t largest_text = std::size_t{1} << 31;
constexpr std::string_view hdf5_mark = "\x89HDF\r\n\x1a\n";

/// The lines that hold something, comments taken off.
std::vector<Line> data_lines(std::string_view text) {
    std::vector<Line> lines = lines_of(text);
    for (Line& line : lines) line.text = line.text.substr(0, line.text.find('#'));
    std::erase_if(lines, [](const Line& line) { return is_blank(line.text); });
    return lines;
}

Separator separator_of(std::string_view line) {
    if (line.find(',') != std::string_view::npos) return Separator::comma;
    const std::size_t tab = line.find('\t');
    // A tab before the first field is an indent.
    return tab != std::string_view::npos && !is_blank(line.substr(0, tab)) ? Separator::tab : Separator::spaces;
}

bool is_header(const std::vector<std::string_view>& fields) {
    return std::all_of(fields.begin(), fields.end(), [](std::string_view field) {
        return !field.empty() && parse_number(field).state == NumberState::not_a_number;
    });
}

bool is_hdf5(const std::string& file) {
    std::string front(hdf5_mark.size(), '\0');
    return std::ifstream(file, std::ios::binary).read(front.data(), static_cast<std::streamsize>(front.size())) &&
           front == hdf5_mark;
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

Points read_points_npy(std::string_view bytes, const std::string& file) {
    const Array array = read_npy(file, bytes);
    if (array.shape.size() != 2)
        refuse({file}, "has " + std::to_string(array.shape.size()) + (array.shape.size() == 1 ? " axis" : " axes") +
                           "; points are two-dimensional, one point a row");
    require_finite(file, array);
    return Eigen::Map<const Points>(array.values.data(), array.shape[0], array.shape[1]);
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
    const std::size_t first = is_header(fields) ? 1 : 0;
    if (lines.size() == first) refuse({file}, "holds a header line but no points");

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
    const auto [file, dataset] = taken_apart(where);
    std::error_code ignored;
    // Told by its first bytes, before it is read whole: of an HDF5 file one dataset is wanted.
    if (std::filesystem::is_regular_file(file, ignored) && is_hdf5(file)) return read_points_hdf5(file, dataset);
    const std::string bytes = file_bytes(file, largest_text);
    if (!dataset.empty()) refuse({file}, "is no HDF5 file, so it has no dataset " + in_quotes(dataset));
    if (is_npy(bytes)) return read_points_npy(bytes, file);
    return read_points_text(bytes, file);
}

}  // namespace rfbench::datasets
