# Programs look for the project upwards from where they are, which a build folder elsewhere is not below: it has links
# to all that they look for there.
cmake_path(IS_PREFIX CMAKE_SOURCE_DIR ${CMAKE_BINARY_DIR} NORMALIZE rfbench_built_inside)
if(NOT rfbench_built_inside)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/results)
  foreach(folder configs data framework results/reference)
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/${folder} SYMBOLIC)
  endforeach()
endif()
