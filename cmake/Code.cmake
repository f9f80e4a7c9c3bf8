# Writes <build>/digests.cpp at every build in which a source has changed: the digests of the code behind each study,
# method and mechanism (code_digests.py), from the files that are compiled in.
file(GLOB_RECURSE code_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     framework/*.hpp framework/*.cpp experiments/*.hpp experiments/*.cpp)
list(JOIN code_sources "\n" code_lines)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/code_sources.txt CONTENT "${code_lines}\n")

find_program(RFBENCH_BUILD_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(RFBENCH_BUILD_PYTHON python3 REQUIRED)
set(code_digests ${CMAKE_CURRENT_SOURCE_DIR}/cmake/code_digests.py)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/digests.cpp
  COMMAND ${RFBENCH_BUILD_PYTHON} ${code_digests} ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/code_sources.txt
          ${CMAKE_BINARY_DIR}/digests.cpp
  DEPENDS ${code_digests} ${CMAKE_BINARY_DIR}/code_sources.txt ${code_sources}
  COMMENT "Digests of the code behind each study and method" VERBATIM)
# A target of its own, which waits for nothing else.
add_library(rfbench_digests OBJECT ${CMAKE_BINARY_DIR}/digests.cpp)
target_include_directories(rfbench_digests PRIVATE experiments)
target_link_libraries(rfbench_digests PRIVATE rfbench_compiler)
