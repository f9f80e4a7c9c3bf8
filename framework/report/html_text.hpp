#pragma once
#include <string>
#include <string_view>

namespace rfbench::report {

/// Text for the inside of an HTML element or a quoted attribute.
std::string html_text(std::string_view text);

/// A relative link to a file, with what a URL cannot hold in percent form.
std::string html_link(std::string_view path);

/// RFC 4648.
std::string base64(std::string_view bytes);

}  // namespace rfbench::report
