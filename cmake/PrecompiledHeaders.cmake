# Headers that most units read first, read once for each group: a third off the build (docs/performance.md). A unit still
# names all it uses: the debug preset compiles each by itself and finds what is missing.
set(rfbench_standard_headers <algorithm> <array> <cmath> <complex> <cstdint> <functional> <limits> <map> <memory>
    <numeric> <optional> <set> <span> <stdexcept> <string> <string_view> <utility> <variant> <vector>)
# Behind them, what of Eigen is compiled elsewhere.
set(rfbench_eigen_products ${CMAKE_CURRENT_SOURCE_DIR}/framework/eigen/products.hpp)

# A target that compiles the headers for others with the same flags; they take both by rfbench_precompiled. OWN: our
# headers that are read with them or by them, as paths from the sources' root. OPTIONS: how units of this group are
# compiled.
function(rfbench_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;OWN;LINKS;OPTIONS")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp CONTENT "")
  add_library(rfbench_precompiled_${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
  target_link_libraries(rfbench_precompiled_${name} PRIVATE rfbench_compiler ${arg_LINKS})
  target_compile_options(rfbench_precompiled_${name} PRIVATE ${arg_OPTIONS})
  target_include_directories(rfbench_precompiled_${name} PRIVATE ${CMAKE_BINARY_DIR}/include)
  set_target_properties(rfbench_precompiled_${name} PROPERTIES RFBENCH_OPTIONS "${arg_OPTIONS}")
  target_precompile_headers(rfbench_precompiled_${name} PRIVATE ${rfbench_standard_headers} ${arg_HEADERS})

  # g++ makes other bytes of the same headers every time: ccache compares this sum instead, which is written whenever one
  # of ours has changed.
  set(sum ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/rfbench_precompiled_${name}.dir/cmake_pch.hxx.gch.sum)
  set(own framework/eigen/products.hpp ${arg_OWN})
  list(TRANSFORM own PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE own_files)
  add_custom_command(OUTPUT ${sum}
    COMMAND ${CMAKE_COMMAND} -E echo "${name}: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, \
Eigen ${Eigen3_VERSION}, fmt ${fmt_VERSION}, Catch2 ${Catch2_VERSION}" > ${sum}
    COMMAND ${CMAKE_COMMAND} -E sha256sum ${own} >> ${sum}
    DEPENDS ${own_files} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "Sum of the precompiled headers of ${name}" VERBATIM)
  add_custom_target(rfbench_precompiled_${name}_sum DEPENDS ${sum})
  add_dependencies(rfbench_precompiled_${name} rfbench_precompiled_${name}_sum)
endfunction()

function(rfbench_precompiled target name)
  get_target_property(options rfbench_precompiled_${name} RFBENCH_OPTIONS)
  target_compile_options(${target} PRIVATE ${options})
  target_precompile_headers(${target} REUSE_FROM rfbench_precompiled_${name})
endfunction()

rfbench_precompile(mathematics HEADERS <Eigen/Core> ${rfbench_eigen_products} LINKS Eigen3::Eigen)
# Machinery is not waited for: -Og compiles it in little over half of the time.
set(rfbench_framework_headers <Eigen/Core> ${rfbench_eigen_products} <filesystem> <iostream> <fmt/format.h>)
rfbench_precompile(framework HEADERS ${rfbench_framework_headers} LINKS Eigen3::Eigen fmt::fmt
                   OPTIONS $<$<CONFIG:Release>:-Og>)
# Headers that nearly every experiment reads beside: a study's and a method's.
file(GLOB_RECURSE rfbench_own_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} framework/*.hpp experiments/*.hpp)
rfbench_precompile(experiments HEADERS ${rfbench_framework_headers} ${CMAKE_CURRENT_SOURCE_DIR}/experiments/study/study.hpp
                   OWN ${rfbench_own_headers} LINKS Eigen3::Eigen fmt::fmt OPTIONS $<$<CONFIG:Release>:-Og>)
target_include_directories(rfbench_precompiled_experiments PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/experiments)
