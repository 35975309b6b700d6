# A machine in a simulated world.
#
# sim_support_* tests that world itself and needs none of the upper rooms; what
# else is called sim_*.c has a client in it, and so the code beside it.
include(support/support.cmake)

set(sim_with_client sim/truth.c sim/user.c)

function(spv_sim_test name)
  cmake_parse_arguments(P "" "" "SOURCES;ROOMS;ARGS" ${ARGN})
  spv_support_program(sim_${name} SOURCES sim/sim_${name}.c ${P_SOURCES}
    ROOMS ${P_ROOMS})
  target_link_libraries(sim_${name} PRIVATE PkgConfig::CMOCKA)
  add_test(NAME sim.${name} COMMAND sim_${name} ${P_ARGS})
  set_tests_properties(sim.${name} PROPERTIES LABELS sim)
endfunction()

spv_sim_test(support_chain ROOMS bloom chain wallet)
spv_sim_test(support_world ROOMS bloom chain wallet)
spv_sim_test(scenarios ROOMS client SOURCES ${sim_with_client})
spv_sim_test(property ROOMS client SOURCES ${sim_with_client}
)

# The property for a library in which something is said otherwise: pairs of
# FILE (ROOM/NAME.c) and CHANGES, see change.cmake.
function(spv_sim_variant name)
  cmake_parse_arguments(V "" "" "CHANGE;ARGS" ${ARGN})
  spv_room_objects(objects needs client)
  set(changed "")
  while(V_CHANGE)
    list(POP_FRONT V_CHANGE file changes)
    get_filename_component(room ${file} DIRECTORY)
    get_filename_component(stem ${file} NAME_WE)
    set(source ${PROJECT_SOURCE_DIR}/src/${file})
    set(target ${CMAKE_CURRENT_BINARY_DIR}/variants/${name}/${stem}.c)
    add_custom_command(OUTPUT ${target}
      COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DTARGET=${target}
        "-DCHANGES=${changes}" -P ${CMAKE_CURRENT_SOURCE_DIR}/sim/change.cmake
      DEPENDS ${source} sim/change.cmake VERBATIM)
    list(APPEND changed ${target})
    list(TRANSFORM objects REPLACE "^(.*TARGET_OBJECTS:spv_${room}>.*)$"
      "$<FILTER:\\1,EXCLUDE,/${stem}[.]c>")
  endwhile()
  add_executable(sim_property_${name} ${changed} ${objects}
    $<TARGET_OBJECTS:spv_support> $<TARGET_OBJECTS:sim_property_parts>)
  target_link_libraries(sim_property_${name} PRIVATE spv_flags ${needs})
  add_test(NAME sim.property.${name} COMMAND sim_property_${name} ${V_ARGS})
  set_tests_properties(sim.property.${name} PROPERTIES LABELS sim)
endfunction()

add_library(sim_property_parts OBJECT sim/sim_property.c ${sim_with_client})
target_link_libraries(sim_property_parts PRIVATE spv_flags)
target_include_directories(sim_property_parts PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)

# Each clause of the coverage rule left out: some seed must notice.
function(spv_sim_mutant name)
  spv_sim_variant(without_${name} CHANGE ${ARGN} ARGS --must-fail)
endfunction()

spv_sim_mutant(needed_keys p2p/coverage.c "c->needed > grant->coverage@@false")
spv_sim_mutant(stream p2p/coverage.c "a->stream == b->stream && @@")
spv_sim_mutant(generation p2p/coverage.c
  " && a->generation == b->generation@@")
spv_sim_mutant(sequence p2p/coverage.c
  "o->origin.sequence <= grant->sequence@@true@@c->run_last <= grant->sequence@@true")
spv_sim_mutant(reload p2p/stream.c
  "spv__peer_filterload(&s@@if (s->generation == 0) spv__peer_filterload(&s")
spv_sim_mutant(outpoints p2p/coverage.c "|| all_added(c, grant)@@|| all_added(c, grant) || c->n")
spv_sim_mutant(foresight client/run.c
  "spv__wallet_foresee(c->wallet, block->txs, block->proof.n)@@SPV_OK")
