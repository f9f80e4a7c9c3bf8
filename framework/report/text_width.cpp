#include "rfbench/report/text_width.hpp"

#include <utf8.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

namespace rfbench::report {

namespace {

struct Block {
    std::uint32_t first, last;
};

// Unicode 15: the combining and zero-width blocks met in labels, and the wide blocks of EastAsianWidth.
constexpr Block zero_width[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
                                {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
                                {0x2060, 0x2064}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
                                {0xFEFF, 0xFEFF}};
constexpr Block wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
                          {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                          {0xFE30, 0xFE4F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                          {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}};

template <std::size_t n>
bool within(const Block (&blocks)[n], std::uint32_t c) {
    return std::any_of(std::begin(blocks), std::end(blocks), [c](Block b) { return b.first <= c && c <= b.last; });
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    // A sequence that is not UTF-8 is shown as one column.
    const std::string valid = utf8::replace_invalid(text, U'?');
    for (const char* at = valid.data(); at != valid.data() + valid.size();) {
        const std::uint32_t c = utf8::unchecked::next(at);
        width += within(zero_width, c) ? 0 : within(wide, c) ? 2 : 1;
    }
    return width;
}

}  // namespace rfbench::report
