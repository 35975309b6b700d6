# vectors-runner PATH...: any file or folder in the format of tests/vectors/.
file(GLOB runner_sources CONFIGURE_DEPENDS runner/*.c)
spv_room_objects(runner_objects runner_needs bloom chain wallet p2p)
add_executable(vectors-runner ${runner_sources} ${runner_objects})
target_link_libraries(vectors-runner PRIVATE spv_flags PkgConfig::JANSSON
  ${runner_needs})
set_target_properties(vectors-runner PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

file(GLOB vector_files CONFIGURE_DEPENDS vectors/*.json)
foreach(file IN LISTS vector_files)
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME vectors.${name} COMMAND vectors-runner ${file})
  set_tests_properties(vectors.${name} PROPERTIES LABELS vectors)
endforeach()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME runner.check COMMAND Python3::Interpreter
  ${CMAKE_CURRENT_SOURCE_DIR}/runner/check_runner.py
  $<TARGET_FILE:vectors-runner>)
set_tests_properties(runner.check PROPERTIES LABELS vectors)
