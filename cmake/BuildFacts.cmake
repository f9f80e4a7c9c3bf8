# Writes <build>/include/rfbench_build.hpp: commit and flags, for the provenance in result files. Included at
# configuration, it adds a target that looks again at every build; run with -P, it is that look.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND git rev-parse HEAD WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE no_git)
  # Sources without a repository of their own may lie in another.
  execute_process(COMMAND git rev-parse --show-prefix WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE prefix
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(no_git OR prefix)
    set(commit unknown)
    set(dirty unknown)
  else()
    execute_process(COMMAND git status --porcelain --untracked-files=no WORKING_DIRECTORY ${SOURCE_DIR}
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    set(dirty false)
    if(changes)
      set(dirty true)
    endif()
  endif()
  set(text "#define RFBENCH_GIT_COMMIT \"${commit}\"\n#define RFBENCH_GIT_DIRTY \"${dirty}\"\n")
  string(APPEND text "#define RFBENCH_COMPILE_FLAGS \"${FLAGS}\"\n")
  set(old "")
  if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
  endif()
  if(NOT text STREQUAL old)
    file(WRITE ${OUTPUT} "${text}")
  endif()
else()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" upper_build_type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${upper_build_type}} -march=${RFBENCH_ARCH} -ffp-contract=off"
         rfbench_flags)
  add_custom_target(rfbench_build_facts
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}
            "-DFLAGS=${rfbench_flags}" -DOUTPUT=${CMAKE_BINARY_DIR}/include/rfbench_build.hpp -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${CMAKE_BINARY_DIR}/include/rfbench_build.hpp
    COMMENT "" VERBATIM)
  add_dependencies(rfbench_store rfbench_build_facts)
endif()
