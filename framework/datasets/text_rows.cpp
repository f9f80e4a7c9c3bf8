#include "rfbench/datasets/text_rows.hpp"

#include <algorithm>

#include "rfbench/datasets/arff.hpp"
#include "rfbench/datasets/libsvm.hpp"
#include "rfbench/datasets/table.hpp"

namespace rfbench::datasets {

std::string name_of(TextForm form) {
    switch (form) {
        case TextForm::arff: return "arff";
        case TextForm::libsvm: return "libsvm";
        case TextForm::delimited: break;
    }
    return "text";
}

TextForm form_of(std::string_view text) {
    return is_arff(text) ? TextForm::arff : is_libsvm(text) ? TextForm::libsvm : TextForm::delimited;
}

TextRows rows_of(std::string_view text, TextForm form, Separator separator, std::size_t header_lines,
                 std::string_view file) {
    if (form == TextForm::arff) return arff_rows(text, file);
    if (form == TextForm::libsvm) return libsvm_rows(text, file);
    std::vector<Line> lines = lines_of(text);
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(header_lines, lines.size())));
    return {std::move(lines), {}, [separator](const Line& line, std::vector<std::string_view>& fields) {
                split(line.text, separator, fields);
            }};
}

bool is_missing(std::string_view field, TextForm form) {
    return form == TextForm::delimited ? is_missing(field) : field.empty();
}

}  // namespace rfbench::datasets
