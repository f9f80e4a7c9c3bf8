# Files of a folder are compiled five at a time: half of what a small file costs is reading and instantiating what its
# neighbours need as well (docs/performance.md). What is added and edited most is compiled alone: mechanisms, samplings,
# methods, studies and what stands beside them. Names in the unnamed namespaces of files that are joined must differ; the debug preset compiles each
# by itself, and finds what one takes from another.
set(RFBENCH_JOINED 5 CACHE STRING "Files of a folder that are compiled together at most; 1: each alone")

# rfbench_joined(TARGET FILE...): these files of the target, in even groups of files that lie in one folder.
function(rfbench_joined target)
  if(RFBENCH_JOINED LESS 2)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes a file that is joined for a header, where unnamed namespaces would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(file IN LISTS ARGN)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${file})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH files_${folder} count)
    math(EXPR groups "(${count} + ${RFBENCH_JOINED} - 1) / ${RFBENCH_JOINED}")
    set(number 0)
    foreach(file IN LISTS files_${folder})
      math(EXPR group "${number} * ${groups} / ${count}")
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
endfunction()
