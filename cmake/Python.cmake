# The Python package rfbench (framework/python): a module of C++, linked with the mathematics alone, and Python around
# it, in a folder to import from, as a wheel, and as part of a Debian package (Package.cmake). Where pybind11 and
# Python's headers are missing, there is no target rfbench_python. /usr/bin/python3, which has Debian's numpy, comes
# before any other; -DPython_EXECUTABLE names another one.
if(NOT Python_EXECUTABLE)
  find_program(Python_EXECUTABLE python3 PATHS /usr/bin NO_DEFAULT_PATH)
endif()
set(PYBIND11_FINDPYTHON ON)
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 QUIET CONFIG)
if(NOT (Python_FOUND AND pybind11_FOUND))
  # Continuous integration, where warnings are errors, must not pass without the tests of the package.
  if(RFBENCH_WERROR)
    message(FATAL_ERROR "The Python package needs Debian's packages python3-dev and pybind11-dev.")
  endif()
  message(STATUS "no Python package: python3-dev or pybind11-dev is missing")
  return()
endif()

# As it is imported: the module beside links to the sources, so that an edit is seen at once.
set(rfbench_python_folder ${CMAKE_BINARY_DIR}/python)
file(MAKE_DIRECTORY ${rfbench_python_folder}/rfbench)
file(GLOB python_modules CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/framework/python/rfbench/*)
foreach(path IN LISTS python_modules)
  cmake_path(GET path FILENAME name)
  if(NOT name STREQUAL "__pycache__")
    file(CREATE_LINK ${path} ${rfbench_python_folder}/rfbench/${name} SYMBOLIC)
  endif()
endforeach()
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/framework/drawing ${rfbench_python_folder}/rfbench/drawing SYMBOLIC)

file(GLOB python_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/framework/python/core/*.cpp)
# The module says what it is compiled for, as the program does.
pybind11_add_module(rfbench_python MODULE NO_EXTRAS ${python_sources} framework/store/instruction_set.cpp)
target_link_libraries(rfbench_python PRIVATE rfbench_mathematics rfbench_compiler)
set_target_properties(rfbench_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${rfbench_python_folder}/rfbench)
target_compile_options(rfbench_python PRIVATE $<$<CONFIG:Release>:-O2>)

# As it is installed: where Debian's Python looks, or where a wheel is made of it.
set(RFBENCH_PYTHON_INSTALL lib/python3/dist-packages CACHE STRING "Where the Python package is installed below the prefix")
set(module_folder ${RFBENCH_PYTHON_INSTALL}/rfbench)
if(RFBENCH_LAUNCHED)  # one of several (Levels.cmake)
  string(APPEND module_folder /levels/${RFBENCH_ARCH})
endif()
install(TARGETS rfbench_python LIBRARY DESTINATION ${module_folder} COMPONENT python)
install(DIRECTORY framework/python/rfbench DESTINATION ${RFBENCH_PYTHON_INSTALL} COMPONENT python
        PATTERN __pycache__ EXCLUDE)
install(DIRECTORY framework/drawing DESTINATION ${RFBENCH_PYTHON_INSTALL}/rfbench COMPONENT python
        PATTERN __pycache__ EXCLUDE)

# A wheel for this Python, and for this processor unless RFBENCH_ARCH says otherwise.
set(wheel ${CMAKE_BINARY_DIR}/wheel)
set(wheel_info ${wheel}/${RFBENCH_PYTHON_INSTALL}/rfbench-${PROJECT_VERSION}.dist-info)
string(REPLACE "." "" python_tag "cp${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}")
configure_file(framework/python/METADATA.in ${CMAKE_BINARY_DIR}/METADATA @ONLY)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/WHEEL CONTENT
"Wheel-Version: 1.0\nGenerator: rfbench\nRoot-Is-Purelib: false\nTag: ${python_tag}-${python_tag}-linux_${CMAKE_SYSTEM_PROCESSOR}\n")
add_custom_target(rfbench_wheel
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${wheel}
  COMMAND ${CMAKE_COMMAND} --install ${CMAKE_BINARY_DIR} --component python --prefix ${wheel} --strip > ${CMAKE_BINARY_DIR}/wheel.log
  COMMAND ${CMAKE_COMMAND} -E make_directory ${wheel_info}
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_BINARY_DIR}/METADATA ${CMAKE_BINARY_DIR}/WHEEL ${wheel_info}
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/wheel.py pack ${wheel}/${RFBENCH_PYTHON_INSTALL} ${rfbench_python_folder}
  DEPENDS rfbench_python COMMENT "Wheel of the Python package" VERBATIM)
