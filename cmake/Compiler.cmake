# Flags every target shares. Contraction is off so that g++ and clang++ give the same bits for one instruction set.
add_library(rfbench_compiler INTERFACE)
target_compile_options(rfbench_compiler INTERFACE
  $<BUILD_INTERFACE:-march=${RFBENCH_ARCH} -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wno-sign-conversion>
  # False alarms of g++ 12: its own AVX-512 intrinsics as uninitialized (GCC bug 105593), a literal + std::string as
  # overlapping (105651).
  $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-uninitialized -Wno-restrict>>
  $<BUILD_INTERFACE:$<$<BOOL:${RFBENCH_WERROR}>:-Werror>>)
target_compile_definitions(rfbench_compiler INTERFACE $<BUILD_INTERFACE:EIGEN_DONT_PARALLELIZE>)
