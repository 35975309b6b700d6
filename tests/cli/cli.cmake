# The built program from outside: a test a file, each with its own data folder.
# 77 is what one exits with that lacks something to test with, and says so.
if(TARGET spvclient)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "^test_" "" name ${name})
    add_test(NAME cli.${name} COMMAND Python3::Interpreter -B ${file})
    set_tests_properties(cli.${name} PROPERTIES LABELS "cli" TIMEOUT 120
      COST 1 # first: they mostly wait, and others can work meanwhile
      SKIP_RETURN_CODE 77
      ENVIRONMENT "SPVCLIENT=$<TARGET_FILE:spvclient>")
  endforeach()
endif()
