# Headers that programs include, and those that these include: all that is installed. docs/library.md shows their use.
set(rfbench_public_headers
    errors matrix version
    features/catalogue features/mechanism features/feature_map features/differentiable_map features/drawn_moments
    features/map_family
    sampling/scheme random/stream parallel/loop
    attention/exact attention/linear attention/backward attention/masked attention/masked_exact attention/softmax_map
    attention/feature_sums attention/toeplitz_mask attention/decoding attention/window attention/nystrom
    attention/linformer attention/lsh attention/matrix_errors
    regression/feature_regression regression/kernel_regression regression/ridge regression/split
    dof/spectrum dof/allocation
    networks/transformer networks/trainer networks/decoder
    config/load store/dataset store/hdf5_file)
list(TRANSFORM rfbench_public_headers APPEND .hpp)

# rfbench_with_included(VARIABLE HEADER...): these headers of framework/, and all that they include.
function(rfbench_with_included variable)
  set(found)
  set(waiting ${ARGN})
  while(waiting)
    list(POP_FRONT waiting header)
    list(APPEND found ${header})
    file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/framework/${header} included REGEX "^#include \"rfbench/")
    list(TRANSFORM included REPLACE "^#include \"rfbench/(.*)\".*" "\\1")
    list(REMOVE_ITEM included ${found})
    list(APPEND waiting ${included})
    list(REMOVE_DUPLICATES waiting)
  endwhile()
  list(REMOVE_DUPLICATES found)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
