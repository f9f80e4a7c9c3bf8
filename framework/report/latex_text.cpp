#include "rfbench/report/latex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace rfbench::report {

namespace {

struct Replacement {
    std::string_view from, to;
};

// Each is one character, so that their order does not matter. Braces keep a command from the letters after it.
constexpr Replacement replacements[] = {
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"$", "\\$"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"%", "\\%"},
    {"_", "\\_"},
    {"^", "\\textasciicircum{}"},
    {"~", "\\textasciitilde{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"|", "\\textbar{}"},
    {"\"", "''"},
    {"`", "\\textasciigrave{}"},
    {"α", "$\\alpha$"},
    {"β", "$\\beta$"},
    {"γ", "$\\gamma$"},
    {"δ", "$\\delta$"},
    {"ε", "$\\varepsilon$"},
    {"ζ", "$\\zeta$"},
    {"η", "$\\eta$"},
    {"θ", "$\\theta$"},
    {"κ", "$\\kappa$"},
    {"λ", "$\\lambda$"},
    {"μ", "$\\mu$"},
    {"ν", "$\\nu$"},
    {"ξ", "$\\xi$"},
    {"π", "$\\pi$"},
    {"ρ", "$\\rho$"},
    {"σ", "$\\sigma$"},
    {"τ", "$\\tau$"},
    {"φ", "$\\varphi$"},
    {"χ", "$\\chi$"},
    {"ψ", "$\\psi$"},
    {"ω", "$\\omega$"},
    {"Γ", "$\\Gamma$"},
    {"Δ", "$\\Delta$"},
    {"Θ", "$\\Theta$"},
    {"Λ", "$\\Lambda$"},
    {"Π", "$\\Pi$"},
    {"Σ", "$\\Sigma$"},
    {"Φ", "$\\Phi$"},
    {"Ψ", "$\\Psi$"},
    {"Ω", "$\\Omega$"},
    {"₀", "$_0$"},
    {"₁", "$_1$"},
    {"₂", "$_2$"},
    {"₃", "$_3$"},
    {"₄", "$_4$"},
    {"₅", "$_5$"},
    {"₆", "$_6$"},
    {"₇", "$_7$"},
    {"₈", "$_8$"},
    {"₉", "$_9$"},
    {"±", "$\\pm$"},
    {"×", "$\\times$"},
    {"·", "$\\cdot$"},
    {"−", "$-$"},
    {"≤", "$\\le$"},
    {"≥", "$\\ge$"},
    {"≈", "$\\approx$"},
    {"≠", "$\\ne$"},
    {"∞", "$\\infty$"},
    {"√", "$\\surd$"},
    {"∈", "$\\in$"},
    {"→", "$\\to$"},
    {"‖", "$\\|$"},
    {"⟨", "$\\langle$"},
    {"⟩", "$\\rangle$"},
    {"∑", "$\\sum$"},
    {"∂", "$\\partial$"},
    {"†", "$^\\dagger$"},
    {"…", "\\dots{}"},
    {"–", "--"},
    {"—", "---"},
    {"°", "$^\\circ$"},
    {"\u00a0", "~"},
    {"\n", " "},
    {"\r", " "},
    {"\t", " "},
};

bool is_latex_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("-+.0123456789e") == std::string_view::npos &&
           text.find_first_of("0123456789") != std::string_view::npos && text.front() != 'e';
}

}  // namespace

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_in_word(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '\'' || c == '-' || c == '/';
}

/// Letters that stand for quantities in this field where they are words of their own; "a" and "A" are English words,
/// too.
constexpr std::string_view quantities = "dfknpqrtuvxyzDKLMNPQRSTVXYZ";

/// Superscripts, as one exponent: "⁻³" at the beginning of a text is {"-3", 5 bytes}.
std::pair<std::string, std::size_t> exponent(std::string_view text) {
    static constexpr Replacement raised[] = {{"⁰", "0"}, {"¹", "1"}, {"²", "2"}, {"³", "3"}, {"⁴", "4"}, {"⁵", "5"},
                                             {"⁶", "6"}, {"⁷", "7"}, {"⁸", "8"}, {"⁹", "9"}, {"⁻", "-"}, {"ⁿ", "n"}};
    std::string digits;
    std::size_t length = 0;
    for (bool found = true; found;) {
        found = false;
        for (const Replacement& one : raised)
            if (text.substr(length).starts_with(one.from)) {
                digits += one.to;
                length += one.from.size();
                found = true;
                break;
            }
    }
    return {digits, length};
}

std::string raised(const std::string& digits) {
    if (digits.empty()) return "";
    return digits.size() == 1 ? "^" + digits : "^{" + digits + "}";
}

/// "|x + y|²" at the beginning of a text: bars around quantities and signs alone. Its bytes and its LaTeX; 0 if it is
/// none.
std::pair<std::size_t, std::string> length_of_vector(std::string_view text) {
    const std::size_t end = text.find('|', 1);
    if (!text.starts_with("|") || end == std::string_view::npos || end == 1) return {0, ""};
    const std::string_view inner = text.substr(1, end - 1);
    if (inner.front() == ' ' || inner.back() == ' ') return {0, ""};  // bars between words
    for (std::size_t i = 0; i < inner.size(); ++i) {
        const bool alone = (i == 0 || !is_letter(inner[i - 1])) && (i + 1 == inner.size() || !is_letter(inner[i + 1]));
        const bool quantity = quantities.find(inner[i]) != std::string_view::npos && alone;
        if (!quantity && std::string_view(" +-").find(inner[i]) == std::string_view::npos) return {0, ""};
    }
    const auto [digits, length] = exponent(text.substr(end + 1));
    return {end + 1 + length, fmt::format("$|{}|{}$", inner, raised(digits))};
}

/// A quantity and its exponent or hat, as "x²", "K^" and "M", at the beginning of a text; 0 bytes if it is none.
std::pair<std::size_t, std::string> quantity(std::string_view text, char before) {
    if (text.empty() || quantities.find(text[0]) == std::string_view::npos || is_in_word(before)) return {0, ""};
    if (text.substr(1).starts_with("^") && (text.size() == 2 || !is_in_word(text[2])))
        return {2, fmt::format("$\\hat {}$", text[0])};
    const auto [digits, length] = exponent(text.substr(1));
    const char after = text.size() > 1 + length ? text[1 + length] : ' ';
    if (is_in_word(after)) return {0, ""};
    return {1 + length, fmt::format("${}{}$", text[0], raised(digits))};
}

}  // namespace

std::string latex_text(std::string_view text) {
    std::string result;
    char before = ' ';
    while (!text.empty()) {
        // Two hyphens, as of an option of a program, would be a dash.
        if (text.starts_with("--")) {
            result += "-{}";
            text.remove_prefix(1);
            before = '-';
            continue;
        }
        auto [length, mathematics] = length_of_vector(text);
        if (length == 0) std::tie(length, mathematics) = quantity(text, before);
        if (length == 0)
            if (const auto [digits, bytes] = exponent(text); bytes > 0) {
                length = bytes;
                mathematics = "$" + raised(digits) + "$";
            }
        if (length > 0) {
            result += mathematics;
            before = text[length - 1];
            text.remove_prefix(length);
            continue;
        }
        const auto* const known = std::find_if(std::begin(replacements), std::end(replacements),
                                               [&](const Replacement& r) { return text.starts_with(r.from); });
        // Other characters pass byte by byte: no byte inside one begins a character that is known.
        const bool found = known != std::end(replacements);
        result += found ? known->to : text.substr(0, 1);
        before = text.front();
        text.remove_prefix(found ? known->from.size() : 1);
    }
    return result;
}

std::string latex_number(std::string_view text) {
    // A mark after a number, as that of the best of a column.
    if (const std::size_t space = text.rfind(' '); space != std::string_view::npos)
        if (const std::string_view mark = text.substr(space + 1); mark == "*" || mark == "†")
            return latex_number(text.substr(0, space)) + " " + latex_text(mark);
    // (1.2 ± 0.3)e-7
    const bool scaled_pair = text.starts_with("(") && text.find(")e") != std::string_view::npos;
    const std::size_t split = scaled_pair ? text.find(")e") + 1 : text.find('e');
    // A limit and an estimate are taken apart, and their numbers written each by itself; all else is text.
    if (!scaled_pair && !is_latex_number(text)) {
        if (text.starts_with("< ")) return "$<$ " + latex_number(text.substr(2));
        const std::size_t sign = text.find(" ± ");
        const std::string_view separator = " ± ";
        if (sign == std::string_view::npos) return text == "-∞" ? "$-\\infty$" : latex_text(text);
        const std::string_view left = text.substr(0, sign), right = text.substr(sign + separator.size());
        return latex_number(left) + " $\\pm$ " + latex_number(right);
    }
    if (split == std::string_view::npos) return fmt::format("${}$", text);
    std::string head(text.substr(0, split));
    // Within mathematics already, where the sign is a bare command.
    if (const std::size_t sign = head.find("±"); sign != std::string::npos) {
        head.replace(sign, std::string_view("±").size(), "\\pm");
    }
    return fmt::format("${}\\times10^{{{}}}$", head, text.substr(split + 1));
}

}  // namespace rfbench::report
