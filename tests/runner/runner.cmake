# Every file of vectors is a test, and so is the program that runs them.
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
