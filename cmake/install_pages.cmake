# Run by `cmake --install`: manual pages and completions, as the program itself writes them.

# Writes what a chain of commands prints to a file in the prefix.
function(write_page file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY "$ENV{DESTDIR}${folder}")
  execute_process(${ARGN} OUTPUT_FILE "$ENV{DESTDIR}${file}" WORKING_DIRECTORY "${rfbench_source_folder}"
                  COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD "$ENV{DESTDIR}${file}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  message(STATUS "Installing: $ENV{DESTDIR}${file}")
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} "${file}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${rfbench_program} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*\nSubcommands:\n" "" verbs "${help}")
string(REGEX REPLACE "\n\n.*" "" verbs "${verbs}")
string(REGEX MATCHALL "(^|\n)  [a-z-]+" verbs "${verbs}")
list(TRANSFORM verbs STRIP)
string(REPLACE ";" " " spaced "${verbs}")

foreach(verb IN ITEMS "" ${verbs})
  string(JOIN "-" page rfbench ${verb})
  write_page(${rfbench_man_folder}/${page}.1.gz
    COMMAND ${rfbench_program} ${verb} --help
    COMMAND awk -v page=${page} -v version=${rfbench_version} -v "verbs=${spaced}"
            -f ${rfbench_source_folder}/cmake/man_page.awk
    COMMAND gzip -9n)
endforeach()
write_page(${rfbench_bash_folder}/rfbench COMMAND ${rfbench_program} completion bash)
write_page(${rfbench_zsh_folder}/_rfbench COMMAND ${rfbench_program} completion zsh)
