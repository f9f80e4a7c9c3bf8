# Uses ccache if it is there. "native" is another instruction set on another processor: the compiler's reading of it is
# part of what ccache compares.
find_program(RFBENCH_CCACHE ccache)
if(RFBENCH_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(rfbench_target ${CMAKE_BINARY_DIR}/target-options.txt)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=${RFBENCH_ARCH} -E -v -x c++ /dev/null
                  OUTPUT_QUIET ERROR_VARIABLE rfbench_target_options)
  file(CONFIGURE OUTPUT ${rfbench_target} CONTENT "@rfbench_target_options@" @ONLY)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_EXTRAFILES=${rfbench_target}
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${RFBENCH_CCACHE})
  # So that ccache sees what g++ takes from precompiled headers.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
