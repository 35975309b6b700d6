# Every file of vectors is a test.
if(TARGET spvclient)
  file(GLOB vector_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.json)
  foreach(file IN LISTS vector_files)
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME vectors.${name} COMMAND spvclient conform vectors ${file})
    set_tests_properties(vectors.${name} PROPERTIES LABELS vectors)
  endforeach()
endif()
