# tests/sim/sim_*.c: a machine in a simulated world. What is called
# sim_support_* tests that world itself and needs none of the upper rooms.
include(support/support.cmake)

file(GLOB sim_sources CONFIGURE_DEPENDS sim/sim_*.c)
foreach(source IN LISTS sim_sources)
  get_filename_component(name ${source} NAME_WE)
  set(rooms client)
  if(name MATCHES "^sim_support_")
    set(rooms bloom chain wallet)
  endif()
  spv_support_program(${name} SOURCES ${source} ROOMS ${rooms})
  target_link_libraries(${name} PRIVATE PkgConfig::CMOCKA)
  string(REGEX REPLACE "^sim_" "" file ${name})
  add_test(NAME sim.${file} COMMAND ${name})
  set_tests_properties(sim.${file} PROPERTIES LABELS sim)
endforeach()
