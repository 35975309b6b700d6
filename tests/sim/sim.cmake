# A machine in a simulated world.
#
# sim_support_* tests that world itself and needs none of the upper rooms; the
# others have a client in it, and the code beside them that follows one.
include(support/support.cmake)

function(spv_sim_test name)
  cmake_parse_arguments(P "" "" "SOURCES;ROOMS" ${ARGN})
  spv_support_program(sim_${name} SOURCES sim/sim_${name}.c ${P_SOURCES}
    ROOMS ${P_ROOMS})
  target_link_libraries(sim_${name} PRIVATE PkgConfig::CMOCKA)
  add_test(NAME sim.${name} COMMAND sim_${name})
  set_tests_properties(sim.${name} PROPERTIES LABELS sim)
endfunction()

spv_sim_test(support_chain ROOMS conform wallet)
spv_sim_test(support_world ROOMS conform wallet)
spv_sim_test(headers ROOMS p2p conform wallet SOURCES sim/fetcher.c)
if(NOT SPV_WITH_STORE)
  return() # users of the simulator keep their wallets on disk
endif()
set(sim_user sim/truth.c sim/user.c)
spv_sim_test(scenarios ROOMS client conform SOURCES sim/scene.c ${sim_user})
spv_sim_test(scenarios_peers ROOMS client conform SOURCES sim/scene.c ${sim_user})
spv_sim_test(scenarios_trust ROOMS client conform SOURCES sim/scene.c ${sim_user})
spv_sim_test(scenarios_wallets ROOMS client conform SOURCES sim/scene.c ${sim_user})
spv_sim_test(steady ROOMS client conform SOURCES sim/scene.c ${sim_user})
spv_sim_test(property ROOMS client conform SOURCES ${sim_user})
add_test(NAME sim.property_liars COMMAND sim_property --liars)
set_tests_properties(sim.property_liars PROPERTIES LABELS sim)

if(SPV_SANITIZE)
  return() # what follows examines the property, not the library
endif()

# The property for a library without one of its clauses, which must fail: the
# file ROOM/FILE.c is changed as change.cmake says. More arguments are the
# program's; where most worlds do not show a clause, its seeds begin shortly
# before one that does.
add_library(sim_property_parts OBJECT sim/sim_property.c ${sim_user})
target_link_libraries(sim_property_parts PRIVATE spv_flags spv_support)

# The parts of a program of the rooms named and those below them, with one
# source file changed: in `parts` and `needs`.
function(spv_changed_parts name file changes)
  get_filename_component(room ${file} DIRECTORY)
  get_filename_component(stem ${file} NAME_WE)
  set(source ${PROJECT_SOURCE_DIR}/src/${file})
  set(target ${CMAKE_CURRENT_BINARY_DIR}/without/${name}/${stem}.c)
  add_custom_command(OUTPUT ${target}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DTARGET=${target}
      "-DCHANGES=${changes}" -P ${CMAKE_CURRENT_SOURCE_DIR}/sim/change.cmake
    DEPENDS ${source} sim/change.cmake VERBATIM)
  spv_room_objects(objects needs ${ARGN})
  list(TRANSFORM objects REPLACE "^(.*TARGET_OBJECTS:spv_${room}>.*)$"
    "$<FILTER:\\1,EXCLUDE,/${stem}[.]c>")
  set(parts ${target} ${objects} PARENT_SCOPE)
  set(needs ${needs} PARENT_SCOPE)
endfunction()

# A unit test for a library without one of its clauses, which must fail in the
# test whose name it is given.
function(spv_unit_without name file changes test fails)
  get_filename_component(room ${file} DIRECTORY)
  spv_changed_parts(unit_${name} ${file} ${changes} ${room})
  add_executable(unit_without_${name} unit/${test}.c ${parts})
  target_link_libraries(unit_without_${name} PRIVATE spv_flags
    PkgConfig::CMOCKA ${needs})
  add_test(NAME unit.without_${name} COMMAND unit_without_${name})
  set_tests_properties(unit.without_${name} PROPERTIES LABELS unit
    PASS_REGULAR_EXPRESSION "FAILED *] ${fails}")
endfunction()

function(spv_sim_without name file changes)
  spv_changed_parts(${name} ${file} ${changes} client conform)
  add_executable(sim_without_${name} ${parts}
    $<TARGET_OBJECTS:spv_support> $<TARGET_OBJECTS:sim_property_parts>)
  target_link_libraries(sim_without_${name} PRIVATE spv_flags ${needs})
  add_test(NAME sim.without_${name}
    COMMAND sim_without_${name} --must-fail --seeds 1-400 ${ARGN})
  set_tests_properties(sim.without_${name} PROPERTIES LABELS sim)
endfunction()

spv_sim_without(needed_keys p2p/coverage.c "c->needed > grant->coverage@@false")
spv_sim_without(stream p2p/coverage.c "a->stream == b->stream && @@"
  --seeds 45-400)
spv_sim_without(generation p2p/coverage.c
  " && a->generation == b->generation@@"
  --seeds 250-600)
string(CONCAT any_sequence "o->origin.sequence <= grant->sequence@@true@@"
  "c->run_last <= grant->sequence@@true")
# So rare in worlds where few peers share that a unit test has to notice it.
spv_unit_without(sequence p2p/coverage.c ${any_sequence} test_p2p_coverage
  an_outpoint_above_it_is_covered_where_the_node_added_it)
spv_sim_without(flags client/run.c
  "== SPV_FILTER_UPDATE_ALL@@!= SPV_FILTER_UPDATE_MASK")
spv_sim_without(outpoints p2p/coverage.c
  "!all_added(c, grant, height)@@!all_added(c, grant, height - height)")
spv_sim_without(debts client/run.c
  "spv__sync_owe(&c->run.sync)@@spv__sync_settle(&c->run.sync)")
spv_sim_without(reload p2p/stream.c
  "spv__peer_filterload(&s@@if (s->generation == 0) spv__peer_filterload(&s")
spv_sim_without(foresight client/run.c
  "spv__wallet_foresee(c->wallet, block->txs, block->proof.n)@@SPV_OK"
  --seeds 30-400)
spv_sim_without(audits p2p/sync_trust.c
  "verdict != SPV_AUDIT_OMISSION@@true" --liars)
spv_sim_without(belief_lost p2p/sync_trust.c
  "s->distrusted = c->served_from@@s->distrusted = 0" --liars)
spv_sim_without(relays p2p/stream.c
  "if (newest == 0)@@if (s->id)"
  --seeds 705-1300)
spv_sim_without(relayed_coins client/relayed.c
  "e.kind != SPV__ELEMENT_OUTPOINT@@e.len")
spv_sim_without(early_coins wallet/wallet.c
  "(entry->state != SPV_TX_CONFIRMED || entry@@(coin->is_early || entry->state != SPV_TX_CONFIRMED || entry"
  --seeds 60-400)
spv_sim_without(early_keys client/run.c
  "spv__wallet_reach(c->wallet, at) <= block->grant.coverage@@at"
  --seeds 150-500)
spv_sim_without(second_looks client/run.c
  "err == SPV_OK && applied.coins@@err != SPV_OK")
