#include "rfbench/report/latex_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace rfbench::report {

namespace {

struct Replacement {
    std::string_view from, to;
};

// Each is one character, so that their order does not matter. Braces keep a command from the letters behind it.
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
    {"\"", "\\textquotedbl{}"},
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
    {"⁰", "$^0$"},
    {"¹", "$^1$"},
    {"²", "$^2$"},
    {"³", "$^3$"},
    {"⁴", "$^4$"},
    {"⁵", "$^5$"},
    {"⁶", "$^6$"},
    {"⁷", "$^7$"},
    {"⁸", "$^8$"},
    {"⁹", "$^9$"},
    {"⁻", "$^-$"},
    {"ⁿ", "$^n$"},
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

std::string latex_text(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        // Two hyphens, as of an option of a program, would be a dash.
        if (text.starts_with("--")) {
            result += "-{}";
            text.remove_prefix(1);
            continue;
        }
        const auto* const known = std::find_if(std::begin(replacements), std::end(replacements),
                                               [&](const Replacement& r) { return text.starts_with(r.from); });
        // Other characters pass byte by byte: no byte inside one begins a character that is known.
        const bool found = known != std::end(replacements);
        result += found ? known->to : text.substr(0, 1);
        text.remove_prefix(found ? known->from.size() : 1);
    }
    return result;
}

std::string latex_number(std::string_view text) {
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
