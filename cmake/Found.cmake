# Studies, methods and the mechanisms' files are found by being there: CMake looks for the functions that return them, and
# writes the lists.
#
# rfbench_found(FILE what ALL namespace signature FILES...): FILE defines `ALL what_there_are()`, all that the functions
# `signature name() {` of that namespace in these files give, each with its file (experiments/found.hpp).
function(rfbench_found output what all namespace signature)
  set(declarations "")
  set(calls "")
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" pattern "${signature}")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} found REGEX "^${pattern} [a-z0-9_]+\\(\\) {")
    foreach(line IN LISTS found)
      string(REGEX REPLACE "^${pattern} ([a-z0-9_]+)\\(\\) {.*" "\\1" name "${line}")
      string(APPEND declarations "${signature} ${name}();\n")
      string(APPEND calls "    add(all, ${namespace}::${name}(), \"${file}\");\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Written by CMake (cmake/Found.cmake) from the files that are there.
#include \"found.hpp\"

namespace @namespace@ {

@declarations@
}  // namespace @namespace@

namespace rfbench::experiments {

@all@ @what@_there_are();
@all@ @what@_there_are() {
    @all@ all;
@calls@    return all;
}

}  // namespace rfbench::experiments
")
endfunction()
