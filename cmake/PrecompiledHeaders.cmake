# What most units read first, read once for each group: three headers take a third off the build. A unit still names
# all it uses: the debug preset compiles each by itself and finds what is missing.
set(rfbench_standard_headers <algorithm> <array> <cmath> <complex> <cstdint> <functional> <limits> <map> <memory>
    <optional> <stdexcept> <string> <string_view> <utility> <variant> <vector>)
# Behind them, what of Eigen is compiled elsewhere.
set(rfbench_eigen_products ${CMAKE_CURRENT_SOURCE_DIR}/framework/eigen/products.hpp)
file(SHA256 ${rfbench_eigen_products} rfbench_eigen_digest)

# A target that compiles the headers for others with the same flags; they take both by rfbench_precompiled. OPTIONS: how
# units of this group are compiled.
function(rfbench_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINKS;OPTIONS")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp CONTENT "")
  add_library(rfbench_precompiled_${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
  target_link_libraries(rfbench_precompiled_${name} PRIVATE rfbench_compiler ${arg_LINKS})
  target_compile_options(rfbench_precompiled_${name} PRIVATE ${arg_OPTIONS})
  set_target_properties(rfbench_precompiled_${name} PROPERTIES RFBENCH_OPTIONS "${arg_OPTIONS}")
  target_precompile_headers(rfbench_precompiled_${name} PRIVATE ${rfbench_standard_headers} ${arg_HEADERS})
  # Of the same headers g++ makes other bytes every time: ccache compares this instead.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/CMakeFiles/rfbench_precompiled_${name}.dir/cmake_pch.hxx.gch.sum
       CONTENT "${name}: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, Eigen ${Eigen3_VERSION}, \
fmt ${fmt_VERSION}, Catch2 ${Catch2_VERSION}, ${rfbench_eigen_digest}")
endfunction()

function(rfbench_precompiled target name)
  get_target_property(options rfbench_precompiled_${name} RFBENCH_OPTIONS)
  target_compile_options(${target} PRIVATE ${options})
  target_precompile_headers(${target} REUSE_FROM rfbench_precompiled_${name})
endfunction()

rfbench_precompile(mathematics HEADERS <Eigen/Core> ${rfbench_eigen_products} LINKS Eigen3::Eigen)
# What reads, writes and asks the mathematics is not waited for: -Og compiles it in little over half of the time.
rfbench_precompile(framework HEADERS <Eigen/Core> ${rfbench_eigen_products} <filesystem> <iostream> <fmt/format.h>
                   LINKS Eigen3::Eigen fmt::fmt OPTIONS $<$<CONFIG:Release>:-Og>)
