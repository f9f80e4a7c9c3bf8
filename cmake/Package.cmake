# `make package`: Debian packages by CPack: rfbench (the program), librfbench-dev (the library), and python3-rfbench (the
# Python package), where pybind11 is.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rfbench)
set(CPACK_PACKAGE_VENDOR "The rfbench authors")
set(CPACK_PACKAGE_CONTACT "The rfbench authors <rfbench@example.org>")  # nobody's address
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "random features for Gaussian and softmax kernels")
set(CPACK_COMPONENTS_ALL program library)
set(packages program/rfbench library/librfbench-dev)
if(TARGET rfbench_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  list(APPEND packages python/python3-rfbench)
endif()
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME rfbench)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# Programs that draw figures and fetch data, and the digits of variance/regimes: the rest works without them.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-matplotlib, curl, python3-sklearn")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "librfbench-dev, python3-rfbench, python3-h5netcdf, python3-xarray")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"Reference suite for random-feature approximation of the Gaussian and softmax
kernels: every mechanism of the field, every way to draw it, exact variances,
and experiments that are edited as YAML. Results are labelled HDF5; figures and
tables are made from them alone.
.
It has a program for x86-64-v2, v3 and v4 each, and takes the best that the
processor has.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME librfbench-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
# rfbench::mathematics needs Eigen alone; rfbench::rfbench what cmake/rfbench-config.cmake.in finds, and what is found by
# its file.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libeigen3-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS
    "libyaml-cpp-dev, libfmt-dev, zlib1g-dev, libssl-dev, libutfcpp-dev, libhdf5-dev, libpcre2-dev, nlohmann-json3-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"Static libraries, headers and CMake configuration (find_package(rfbench)) of
rfbench, the reference suite for random-feature approximation of the Gaussian
and softmax kernels: features, samplings, exact variances, linear attention.
rfbench::mathematics needs Eigen alone; rfbench::rfbench, which runs and stores
experiments, needs the recommended packages.
.
It is compiled for x86-64-v2. Compiled from source for the processor at hand
it is faster.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-rfbench)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
# The module is for the Python that it was built by alone.
math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "rfbench, python3-h5py, python3-h5netcdf, python3-xarray, python3-matplotlib")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-sklearn, python3-torch")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/postinst;${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/prerm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
"Python package of rfbench, the reference suite for random-feature
approximation of the Gaussian and softmax kernels: features, samplings, exact
variances, linear attention with gradients, layers for PyTorch, a transformer
for scikit-learn. It runs experiments by the program rfbench.
.
It has a module for x86-64-v2, v3 and v4 each, and takes the best that the
processor has.")

# Debian's own documents, only where the prefix is the system's.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(maintainer "${CPACK_PACKAGE_CONTACT}")
  set(version ${PROJECT_VERSION})
  execute_process(COMMAND git log -1 --format=%cD WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE date
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT date)
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  endif()
  file(READ LICENSE license)
  string(FIND "${license}" "Redistribution and use" conditions)
  string(SUBSTRING "${license}" ${conditions} -1 license)
  string(STRIP "${license}" license)
  string(REPLACE "\n\n" "\n.\n" license "${license}")
  string(REPLACE "\n" "\n " license " ${license}")
  configure_file(cmake/debian/copyright ${CMAKE_BINARY_DIR}/debian/copyright @ONLY)
  configure_file(cmake/debian/changelog ${CMAKE_BINARY_DIR}/debian/changelog @ONLY)
  execute_process(COMMAND gzip -9nf ${CMAKE_BINARY_DIR}/debian/changelog)
  foreach(part IN LISTS packages)
    cmake_path(GET part PARENT_PATH component)
    cmake_path(GET part FILENAME package)
    install(FILES ${CMAKE_BINARY_DIR}/debian/copyright ${CMAKE_BINARY_DIR}/debian/changelog.gz
            DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  endforeach()
endif()
include(CPack)
