#include "rfbench/models/word_pieces.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <new>
#include <stdexcept>
#include <string>

#include "rfbench/datasets/place.hpp"
#include "rfbench/errors.hpp"

namespace rfbench::models {
namespace {

// \s of the reference is Unicode's White_Space, listed here because PCRE's own \s has U+180E as well.
#define RFBENCH_SPACES                                                                                                 \
    "\\x{9}-\\x{d} \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
// The pattern of the header, with \s and \S written out.
constexpr char pattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d"
    "| ?\\p{L}+| ?\\p{N}+| ?[^" RFBENCH_SPACES
    "\\p{L}\\p{N}]+"
    "|[" RFBENCH_SPACES "]+(?![^" RFBENCH_SPACES "])|[" RFBENCH_SPACES "]+";
#undef RFBENCH_SPACES

struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};

std::string said(int error) {
    PCRE2_UCHAR text[256];
    pcre2_get_error_message(error, text, sizeof text);
    return reinterpret_cast<const char*>(text);
}

const pcre2_code* compiled() {
    static const std::unique_ptr<pcre2_code, FreeCode> code = [] {
        int error = 0;
        PCRE2_SIZE place = 0;
        pcre2_code* const made = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED, PCRE2_UTF,
                                               &error, &place, nullptr);
        if (made == nullptr) throw std::runtime_error("PCRE2 does not take the pattern of pieces: " + said(error));
        return std::unique_ptr<pcre2_code, FreeCode>(made);
    }();
    return code.get();
}

}  // namespace

struct WordPieces::Match {
    struct Free {
        void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
    };
    std::unique_ptr<pcre2_match_data, Free> data{pcre2_match_data_create(1, nullptr)};

    /// Matches at `from`, since the pattern leaves no character out; an error is below 0.
    int find(std::string_view text, std::size_t from, std::uint32_t options) const {
        return pcre2_match(compiled(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from, options,
                           data.get(), nullptr);
    }
    std::size_t end() const { return pcre2_get_ovector_pointer(data.get())[1]; }
};

WordPieces::WordPieces(std::string_view text, std::string_view name) : text_(text), match_(std::make_unique<Match>()) {
    if (!match_->data) throw std::bad_alloc();
    // The first match checks the whole text, and next() need not check it again.
    const int outcome = match_->find(text_, 0, 0);
    if (outcome >= 0 || outcome == PCRE2_ERROR_NOMATCH) return;
    datasets::refuse({name}, "is no UTF-8 at byte " + std::to_string(pcre2_get_startchar(match_->data.get())) +
                                 " (counted from 0): " + said(outcome));
}

WordPieces::~WordPieces() = default;

std::string_view WordPieces::next() {
    if (at_ == text_.size()) return {};
    const int outcome = match_->find(text_, at_, PCRE2_NO_UTF_CHECK);
    if (outcome < 0) throw FileError("PCRE2 failed at byte " + std::to_string(at_) + ": " + said(outcome));
    const std::string_view piece = text_.substr(at_, match_->end() - at_);
    at_ = match_->end();
    return piece;
}

}  // namespace rfbench::models
