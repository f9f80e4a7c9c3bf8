#pragma once
#include <string>
#include <string_view>

namespace rfbench::report {

/// UTF-8 text for pdfLaTeX and its successors: special characters escaped; Greek letters, mathematical signs,
/// superscript and subscript digits and dashes as commands; a number such as -1.5e-7 as $-1.5\times10^{-7}$. Characters
/// not known here are passed on, for LuaLaTeX and XeLaTeX.
std::string latex_text(std::string_view text);

/// The same for text that is a number as entry_text writes it.
std::string latex_number(std::string_view text);

}  // namespace rfbench::report
