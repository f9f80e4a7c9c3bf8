# Flags every target shares. Contraction is off so that g++ and clang++ give the same bits for one instruction set.
add_library(rfbench_compiler INTERFACE)
target_compile_options(rfbench_compiler INTERFACE
  $<BUILD_INTERFACE:-march=${RFBENCH_ARCH} -ffp-contract=off -fPIC -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion>
  # False alarms of g++ 12: its own AVX-512 intrinsics as uninitialized (GCC bug 105593), a literal + std::string as
  # overlapping and, through precompiled headers, too long or out of bounds (105651).
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-uninitialized -Wno-restrict>>
  $<BUILD_INTERFACE:$<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<BOOL:${CMAKE_DISABLE_PRECOMPILE_HEADERS}>>>:
  -Wno-stringop-overflow -Wno-array-bounds>>
  $<BUILD_INTERFACE:$<$<BOOL:${RFBENCH_WERROR}>:-Werror>>)
# Half a gigabyte may be used before g++ looks for what it can give back: a tenth less time.
target_compile_options(rfbench_compiler INTERFACE
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>>)
# For everything, as -fPIC is, since units with other flags cannot share precompiled headers.
target_link_libraries(rfbench_compiler INTERFACE $<BUILD_INTERFACE:OpenMP::OpenMP_CXX>)
# Eigen orders the sums of large products by the sizes of caches: where it asks the processor for them, bits differ
# between processors of one instruction set. The installed library says the same to whoever links it.
set(rfbench_eigen_definitions EIGEN_DONT_PARALLELIZE EIGEN_NO_CPUID)
target_compile_definitions(rfbench_compiler INTERFACE $<BUILD_INTERFACE:${rfbench_eigen_definitions}>)
