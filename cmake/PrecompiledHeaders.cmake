# What most units read first, read once for each group: three headers take a third off the build. A unit still names
# all it uses: the debug preset compiles each by itself and finds what is missing.
set(rfbench_standard_headers <algorithm> <array> <cmath> <complex> <cstdint> <functional> <limits> <map> <memory>
    <optional> <stdexcept> <string> <string_view> <utility> <variant> <vector>)

# A target that compiles the headers for others with the same flags; they take them by rfbench_precompiled.
function(rfbench_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINKS")
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp "")
  add_library(rfbench_precompiled_${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
  target_link_libraries(rfbench_precompiled_${name} PRIVATE rfbench_compiler ${arg_LINKS})
  target_precompile_headers(rfbench_precompiled_${name} PRIVATE ${rfbench_standard_headers} ${arg_HEADERS})
endfunction()

function(rfbench_precompiled target name)
  target_precompile_headers(${target} REUSE_FROM rfbench_precompiled_${name})
endfunction()

rfbench_precompile(mathematics HEADERS <Eigen/Core> LINKS Eigen3::Eigen)
rfbench_precompile(machinery HEADERS <Eigen/Core> <filesystem> <iostream> <fmt/format.h> LINKS Eigen3::Eigen fmt::fmt)
