# All folders in one static library, rfbench::rfbench, installed with a package config for find_package(rfbench).
get_property(folders GLOBAL PROPERTY RFBENCH_FOLDERS)
add_library(rfbench STATIC)
set(experiment_free_folders ${folders})
foreach(folder IN LISTS folders)
  target_sources(rfbench PRIVATE $<TARGET_OBJECTS:${folder}>)
endforeach()
