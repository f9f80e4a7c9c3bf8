#pragma once
// Which sources the values of a study or a method come from, and their digest, by which results that other code
// computed are told from those of this code.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rfbench::code {

/// Texts by path from the project's folder: "framework/random/normal.cpp", "experiments/study.hpp".
using Sources = std::map<std::string, std::string, std::less<>>;

/// The project's sources, joined by what includes what.
///
/// A file stands on the headers it includes, and a header on what implements it: the .cpp beside it that has its name,
/// and each .cpp beside it that has no header of its own and includes it. A .cpp of a study, or of methods or a
/// mechanism without a header, implements nothing. Files that no value depends on are left out (is_left_out).
class Tree {
public:
    /// Throws std::invalid_argument naming the file and the line's header where a file that counts includes one of the
    /// project's ("..." , not <...>) that is not among the sources.
    explicit Tree(const Sources&);

    /// All that the file stands on, itself among them. Throws std::invalid_argument when there is no such source.
    std::set<std::string> behind(const std::string& path) const;

    /// SHA-256 of the paths and tokens of all that it stands on, 64 hexadecimal digits. Comments and layout do not
    /// count, nor what a study's file says below its `prepare` (study_part).
    std::string digest(const std::string& path) const;

private:
    struct File {
        std::string digest;                  ///< of its tokens
        std::vector<std::string> stands_on;  ///< what it includes, and what implements it
        bool takes_no_methods = false;       ///< a study that says so
    };
    std::map<std::string, File, std::less<>> files_;
};

/// Whether no value depends on what is in a file.
bool is_left_out(std::string_view path);

}  // namespace rfbench::code
