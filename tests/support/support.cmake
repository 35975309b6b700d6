# What tests and benchmarks share: a chain generator, a signer, a
# simulator. Compiled once, whoever asks first.
include_guard(GLOBAL)

file(GLOB support_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_library(spv_support OBJECT ${support_sources})
target_link_libraries(spv_support PUBLIC spv_flags)
target_include_directories(spv_support PUBLIC ${CMAKE_CURRENT_LIST_DIR}/..)

# A program of its sources, the support code and the rooms named.
function(spv_support_program name)
  cmake_parse_arguments(P "" "" "SOURCES;ROOMS" ${ARGN})
  spv_room_objects(objects needs ${P_ROOMS})
  add_executable(${name} ${P_SOURCES} $<TARGET_OBJECTS:spv_support> ${objects})
  target_include_directories(${name} PRIVATE
    $<TARGET_PROPERTY:spv_support,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${name} PRIVATE spv_flags ${needs})
endfunction()

# The generator as a program, for whoever starts a real node.
spv_support_program(chaingen ROOMS conform wallet
  SOURCES ${PROJECT_SOURCE_DIR}/bench/chaingen.c)
set_target_properties(chaingen PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
