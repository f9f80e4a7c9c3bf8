# Studies, methods and the mechanisms' files are found by being there: CMake looks for the functions that return them, and
# writes the lists.
#
# rfbench_found(FILE what ALL namespace signature FILES...): FILE defines `ALL what_there_are()`, all that the functions
# `signature name() {` of that namespace in these files give, each with its file (experiments/found.hpp). A file that
# defines such a function in another way, so that it would be in no list, is named. `rfbench_<what>_names` are those
# that were found.
function(rfbench_found output what all namespace signature)
  set(declarations "")
  set(calls "")
  set(names "")
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" pattern "${signature}")
  string(REGEX MATCH "[A-Za-z]+>?$" type "${signature}")
  string(REPLACE ">" "" type "${type}")
  set(space "[ \t\r\n]")
  set(function "[A-Za-z0-9_:]+${space}*\\(${space}*(void)?${space}*\\)")
  set(nearly "[ \t\n:<]${type}${space}*>?${space}+${function}${space}*(noexcept)?${space}*{")
  set(trailing "[ \t\n]auto${space}+${function}${space}*->[^;{]*${type}${space}*>?${space}*{")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} found REGEX "^${pattern} [a-z0-9_]+\\(\\) {")
    foreach(line IN LISTS found)
      string(REGEX REPLACE "^${pattern} ([a-z0-9_]+)\\(\\) {.*" "\\1" name "${line}")
      list(APPEND names ${name})
      string(APPEND declarations "${signature} ${name}();\n")
      string(APPEND calls "    add(all, ${namespace}::${name}(), \"${file}\");\n")
    endforeach()
    file(READ ${file} text)
    if(NOT found AND "\n${text}" MATCHES "${nearly}|${trailing}")
      message(WARNING "${file} has a function that gives ${what}, and is in no list: CMake looks for a line that begins "
                      "with '${signature} name() {', the name in small letters, digits and underscores.")
    endif()
  endforeach()
  set(rfbench_${what}_names ${names} PARENT_SCOPE)
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
