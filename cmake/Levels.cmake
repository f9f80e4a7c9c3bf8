# Programs and Python modules for several levels of the x86-64 psABI, of which the one for the processor at hand runs
# (framework/launcher). Inline functions, Eigen's first of all, are in many objects, and a linker keeps one of each name:
# so code of two levels is never linked together. Each level above RFBENCH_ARCH is built in a tree of its own below this
# one, and gives its program and its Python module.
set(launcher_folder ${CMAKE_CURRENT_SOURCE_DIR}/framework/launcher)

# Runs on every processor: compiled for plain x86-64, and linked with nothing of ours, which is not.
function(rfbench_for_any_processor target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE -march=x86-64 -Wall -Wextra $<$<BOOL:${RFBENCH_WERROR}>:-Werror>)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/include)
endfunction()

# g++ alone knows the levels by name when a program runs.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_executable(rfbench_launcher ${launcher_folder}/main.cpp ${launcher_folder}/choice.cpp ${launcher_folder}/processor.cpp)
  rfbench_for_any_processor(rfbench_launcher)
  set_target_properties(rfbench_launcher PROPERTIES OUTPUT_NAME rfbench RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/launcher)
endif()
if(NOT RFBENCH_LEVELS)
  return()
endif()
if(NOT TARGET rfbench_launcher)
  message(FATAL_ERROR "RFBENCH_LEVELS needs g++ and an x86-64 processor; this is ${CMAKE_CXX_COMPILER_ID} for ${CMAKE_SYSTEM_PROCESSOR}")
endif()

install(TARGETS rfbench_launcher RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
if(TARGET rfbench_python)
  pybind11_add_module(rfbench_python_choice MODULE NO_EXTRAS framework/python/levels/module.cpp
                      ${launcher_folder}/choice.cpp ${launcher_folder}/processor.cpp)
  rfbench_for_any_processor(rfbench_python_choice)
  set_target_properties(rfbench_python_choice PROPERTIES OUTPUT_NAME _choice LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/levels)
  install(TARGETS rfbench_python_choice LIBRARY DESTINATION ${RFBENCH_PYTHON_INSTALL}/rfbench/levels COMPONENT python)
endif()

# One tree after the other, behind this one, with those of its settings that are named here.
set(before rfbench_cli)
if(TARGET rfbench_python)
  list(APPEND before rfbench_python)
endif()
set(targets ${before})
foreach(level IN LISTS RFBENCH_LEVELS)
  set(tree ${CMAKE_BINARY_DIR}/${level})
  set(same)
  foreach(name CMAKE_BUILD_TYPE CMAKE_C_COMPILER CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS CMAKE_EXE_LINKER_FLAGS
          CMAKE_MODULE_LINKER_FLAGS CMAKE_INSTALL_PREFIX CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR CMAKE_PREFIX_PATH
          CMAKE_TOOLCHAIN_FILE Python_EXECUTABLE RFBENCH_JOINED RFBENCH_WERROR)
    if(DEFINED ${name})
      string(REPLACE ";" "\\;" value "${${name}}")
      list(APPEND same "-D${name}=${value}")
    endif()
  endforeach()
  add_custom_target(rfbench_${level} ALL
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_SOURCE_DIR} -B ${tree} -G ${CMAKE_GENERATOR} ${same} -DRFBENCH_TESTS=OFF
            -DRFBENCH_ARCH=${level} -DRFBENCH_LAUNCHED=ON > ${tree}.log
    COMMAND ${CMAKE_COMMAND} --build ${tree} --target ${targets}
    DEPENDS ${before} USES_TERMINAL VERBATIM COMMENT "Program and Python module for ${level}")
  set(before rfbench_${level})
  install(PROGRAMS ${tree}/rfbench DESTINATION lib/rfbench/${level} COMPONENT program)
  if(TARGET rfbench_python)
    install(FILES ${tree}/python/rfbench/$<TARGET_FILE_NAME:rfbench_python>
            DESTINATION ${RFBENCH_PYTHON_INSTALL}/rfbench/levels/${level} COMPONENT python)
  endif()
endforeach()
