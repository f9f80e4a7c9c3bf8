# All folders in one static library, rfbench::rfbench, installed with a package config for find_package(rfbench).
get_property(rfbench_folders GLOBAL PROPERTY RFBENCH_FOLDERS)
add_library(rfbench STATIC)
foreach(folder IN LISTS rfbench_folders)
  target_sources(rfbench PRIVATE $<TARGET_OBJECTS:${folder}>)
endforeach()
add_library(rfbench::rfbench ALIAS rfbench)
target_compile_features(rfbench PUBLIC cxx_std_20)
# Eigen's matrices cross the interface: both sides must agree on instruction set, alignment and threading.
target_compile_options(rfbench INTERFACE $<INSTALL_INTERFACE:-march=${RFBENCH_ARCH}>)
target_compile_definitions(rfbench INTERFACE $<INSTALL_INTERFACE:EIGEN_DONT_PARALLELIZE>)
target_include_directories(rfbench PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
target_link_libraries(rfbench
  PUBLIC Eigen3::Eigen OpenMP::OpenMP_CXX
  PRIVATE $<BUILD_INTERFACE:rfbench_compiler> Boost::headers yaml-cpp fmt::fmt ZLIB::ZLIB ${HDF5_C_HL_LIBRARIES}
          ${HDF5_C_LIBRARIES} ${rfbench_fourier_libraries} ${RFBENCH_PCRE2_LIBRARY})

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS rfbench EXPORT rfbench-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY framework/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rfbench COMPONENT library
        FILES_MATCHING PATTERN "*.hpp" PATTERN "cli" EXCLUDE PATTERN "memory" EXCLUDE)
install(EXPORT rfbench-targets NAMESPACE rfbench:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rfbench
        COMPONENT library)
configure_package_config_file(cmake/rfbench-config.cmake.in ${CMAKE_BINARY_DIR}/rfbench-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rfbench)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/rfbench-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/rfbench-config.cmake ${CMAKE_BINARY_DIR}/rfbench-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rfbench COMPONENT library)
