# All folders in one static library, rfbench::rfbench, installed with a package config for find_package(rfbench).
add_library(rfbench STATIC)
