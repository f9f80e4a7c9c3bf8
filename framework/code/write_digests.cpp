// Run while building: reads all sources that are compiled in, and writes the digests of what stands behind each study,
// method and mechanism as C++, for experiments/code.hpp.
//
//     write_digests FOLDER LIST OUTPUT      LIST: a file that names the sources, relative to FOLDER, one a line
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "rfbench/code/tree.hpp"
#include "rfbench/store/file_reading.hpp"

namespace {

using rfbench::code::Sources;
namespace store = rfbench::store;

Sources read_all(const std::string& folder, const std::string& list) {
    std::istringstream names(store::read_whole(list));
    Sources sources;
    for (std::string name; std::getline(names, name);) sources.emplace(name, store::read_whole(folder + "/" + name));
    return sources;
}

/// The files that are looked for by name: those of studies, methods and mechanisms, and what is beside them.
bool is_asked_for(const std::string& path) {
    return path.ends_with(".cpp") && !rfbench::code::is_left_out(path) &&
           (path.starts_with("experiments/") || path.starts_with("framework/features/mechanisms/"));
}

std::string table(const Sources& sources) {
    const rfbench::code::Tree tree(sources);
    std::string rows;
    for (const auto& [path, text] : sources)
        if (is_asked_for(path)) rows += "        {\"" + path + "\",\n         \"" + tree.digest(path) + "\"},\n";
    return "// Written by framework/code/write_digests.cpp.\n"
           "#include \"code.hpp\"\n\n"
           "namespace rfbench::experiments {\n\n"
           "const Digests& digests_by_file() {\n"
           "    static const Digests all{\n" +
           rows +
           "    };\n"
           "    return all;\n"
           "}\n\n"
           "}  // namespace rfbench::experiments\n";
}

}  // namespace

int main(int count, char** words) try {
    if (count != 4) throw std::runtime_error("usage: write_digests FOLDER LIST OUTPUT");
    const std::string written = table(read_all(words[1], words[2]));
    // An unchanged file is not written, so that it is not compiled again.
    if (store::read_if_there(words[3]) == written) return 0;
    std::ofstream file(words[3], std::ios::binary);
    file << written;
    file.close();
    if (!file) throw std::runtime_error(std::string(words[3]) + " cannot be written");
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "write_digests: %s\n", error.what());
    return 1;
}
