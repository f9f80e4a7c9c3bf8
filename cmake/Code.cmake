# Writes <build>/digests.cpp at every build in which a source has changed: the digests of the code behind each study,
# method and mechanism (framework/code), from the files that are compiled in.
file(GLOB_RECURSE code_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}
     framework/*.hpp framework/*.cpp experiments/*.hpp experiments/*.cpp)
list(JOIN code_sources "\n" code_lines)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/code_sources.txt CONTENT "${code_lines}\n")

# In our own programs, not in the library.
add_library(rfbench_code OBJECT framework/code/study_part.cpp framework/code/tokens.cpp framework/code/tree.cpp)
target_include_directories(rfbench_code PUBLIC ${CMAKE_BINARY_DIR}/include)
target_link_libraries(rfbench_code PUBLIC rfbench_compiler)
# Two files of the store, without all that the framework needs: it runs early in every build.
add_executable(write_digests framework/code/write_digests.cpp framework/store/sha256.cpp framework/store/file_reading.cpp)
target_link_libraries(write_digests PRIVATE rfbench_code fmt::fmt OpenSSL::Crypto)

add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/digests.cpp
  COMMAND write_digests ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/code_sources.txt ${CMAKE_BINARY_DIR}/digests.cpp
  DEPENDS write_digests ${CMAKE_BINARY_DIR}/code_sources.txt ${code_sources}
  COMMENT "Digests of the code behind each study and method" VERBATIM)
# A target of its own, which waits for nothing else.
add_library(rfbench_digests OBJECT ${CMAKE_BINARY_DIR}/digests.cpp)
target_include_directories(rfbench_digests PRIVATE experiments)
target_link_libraries(rfbench_digests PRIVATE rfbench_compiler)
