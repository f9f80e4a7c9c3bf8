# Two static libraries with a package config for find_package(rfbench): rfbench::mathematics, features and attention, which
# needs Eigen and OpenMP alone, and rfbench::rfbench, the framework, which is linked with it.
function(rfbench_library name library)
  get_property(folders GLOBAL PROPERTY RFBENCH_FOLDERS_${library})
  add_library(${name} STATIC)
  foreach(folder IN LISTS folders)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${folder}>)
  endforeach()
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:rfbench_compiler>)
endfunction()

rfbench_library(rfbench_mathematics mathematics)
add_library(rfbench::mathematics ALIAS rfbench_mathematics)
set_target_properties(rfbench_mathematics PROPERTIES EXPORT_NAME mathematics)
# Eigen's matrices cross the interface: both sides must agree on instruction set, alignment, threading and blocks.
target_compile_options(rfbench_mathematics INTERFACE $<INSTALL_INTERFACE:-march=${RFBENCH_ARCH}>)
target_compile_definitions(rfbench_mathematics INTERFACE $<INSTALL_INTERFACE:${rfbench_eigen_definitions}>)
target_link_libraries(rfbench_mathematics PUBLIC Eigen3::Eigen OpenMP::OpenMP_CXX)

rfbench_library(rfbench framework)
add_library(rfbench::rfbench ALIAS rfbench)
target_link_libraries(rfbench
  PUBLIC rfbench_mathematics
  PRIVATE yaml-cpp fmt::fmt ZLIB::ZLIB OpenSSL::Crypto ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES} ${RFBENCH_PCRE2_LIBRARY})

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(rfbench_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rfbench)
# An export each, so that who asks for the mathematics is not asked for what the framework is linked with.
install(TARGETS rfbench_mathematics EXPORT rfbench-mathematics ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT library)
install(TARGETS rfbench EXPORT rfbench-framework ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
foreach(part mathematics framework)
  install(EXPORT rfbench-${part} NAMESPACE rfbench:: DESTINATION ${rfbench_cmake_folder} COMPONENT library)
endforeach()
include(PublicHeaders)
rfbench_with_included(rfbench_installed_headers ${rfbench_public_headers})
foreach(header IN LISTS rfbench_installed_headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES framework/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rfbench/${folder} COMPONENT library)
endforeach()
configure_package_config_file(cmake/rfbench-config.cmake.in ${CMAKE_BINARY_DIR}/rfbench-config.cmake
                              INSTALL_DESTINATION ${rfbench_cmake_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/rfbench-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/rfbench-config.cmake ${CMAKE_BINARY_DIR}/rfbench-config-version.cmake
        DESTINATION ${rfbench_cmake_folder} COMPONENT library)
