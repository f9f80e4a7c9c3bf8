# Files of a folder are compiled five at a time: half of what a small file costs is reading and instantiating what its
# neighbours need as well (docs/performance.md). What is added and edited most is compiled alone: mechanisms, samplings,
# methods, studies and what stands beside them. Names in the unnamed namespaces of files that are joined must differ; the
# debug preset compiles each by itself, and finds what one takes from another.
set(RFBENCH_JOINED 5 CACHE STRING "Files of a folder that are compiled together at most; 1: each alone")

# rfbench_joined(TARGET): the sources of the target are joined, but for those with SKIP_UNITY_BUILD_INCLUSION.
function(rfbench_joined target)
  if(RFBENCH_JOINED GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${RFBENCH_JOINED})
    # g++ takes a file that is joined for a header, where unnamed namespaces would be a mistake.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
