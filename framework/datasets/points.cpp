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
#include "rfbench/datasets/text_rows.hpp"
#include "rfbench/datasets/unpacked.hpp"
#include "rfbench/datasets/zip.hpp"
#include "rfbench/text/counted.hpp"

namespace rfbench::datasets {

namespace {

constexpr std::size_t max_text = std::size_t{1} << 31;

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
    // Paths may have colons themselves: the first after which a file's name ends counts.
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

/// The columns of ARFF or LIBSVM's rows that are coordinates. A target is none; what is no number is refused, unless
/// `numeric` alone is asked for.
std::vector<std::size_t> coordinates_of(const TextRows& rows, TextForm form, bool numeric, std::string_view file) {
    std::vector<std::size_t> coordinates;
    for (std::size_t i = form == TextForm::libsvm ? 1 : 0; i < rows.columns.size(); ++i) {
        const DeclaredColumn& column = rows.columns[i];
        if (column.kind == DeclaredColumn::Kind::numbers)
            coordinates.push_back(i);
        else if (!numeric)
            refuse({file, column.line, 3},
                   fmt::format("attribute '{}' has words, and a point has numbers alone; {}:numeric are the numeric "
                               "attributes",
                               column.name, file));
    }
    if (coordinates.empty()) refuse({file}, "has no numbers for a point");
    return coordinates;
}

Points declared_points(std::string_view text, TextForm form, bool numeric, std::string_view file) {
    const TextRows rows = rows_of(text, form, Separator::comma, 0, file);
    const std::vector<std::size_t> coordinates = coordinates_of(rows, form, numeric, file);
    Points points(static_cast<Index>(rows.lines.size()), static_cast<Index>(coordinates.size()));
    std::vector<std::string_view> fields;
    for (std::size_t row = 0; row < rows.lines.size(); ++row) {
        rows.split(rows.lines[row], fields);
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const std::size_t column = coordinates[i];
            const Place place{file, rows.lines[row].number, column + 1};
            if (is_missing(fields[column], form))
                refuse(place, fmt::format("attribute '{}' is missing (?); every coordinate of a point is needed",
                                          rows.columns[column].name));
            points(static_cast<Index>(row), static_cast<Index>(i)) = number(fields[column], place);
        }
    }
    return points;
}

}  // namespace

std::string file_of_points(const std::string& where) { return taken_apart(where).file; }

Points read_points_text(std::string_view text, std::string_view file, const std::string& name) {
    const TextForm form = form_of(text);
    if (!name.empty() && form != TextForm::arff)
        refuse({file}, "is neither HDF5 nor .npz, so it has no array " + in_quotes(name));
    if (!name.empty() && name != "numeric")
        refuse({file}, in_quotes(name) + " is no choice of attributes; 'numeric' takes all that are numbers");
    if (form != TextForm::delimited) return declared_points(text, form, !name.empty(), file);
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
    std::string bytes = file_bytes(file, max_text);
    if (is_zip(bytes)) {
        const Zip archive(bytes, file);
        if (!npz_names(archive).empty()) return measurable(read_points_npz(archive, name), where);
    }
    bytes = unpacked(std::move(bytes), max_text, file);
    if (!is_npy(bytes)) return measurable(read_points_text(bytes, file, name), where);
    if (!name.empty()) refuse({file}, "is neither HDF5 nor .npz, so it has no array " + in_quotes(name));
    return measurable(points_of(file, read_npy(file, bytes)), where);
}

}  // namespace rfbench::datasets
