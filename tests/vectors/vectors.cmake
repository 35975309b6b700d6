# Every file of vectors is a test.
if(TARGET spvclient)
  file(GLOB vector_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.json)
  foreach(file IN LISTS vector_files)
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME vectors.${name} COMMAND spvclient conform vectors ${file})
    set_tests_properties(vectors.${name} PROPERTIES LABELS vectors)
  endforeach()
endif()

# The corpus without the library. 77 is for want of a Python module, which is
# said.
function(spv_corpus_test name script)
  add_test(NAME vectors.${name}
    COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/vectors/${script})
  set_tests_properties(vectors.${name} PROPERTIES LABELS "vectors;lint"
    SKIP_RETURN_CODE 77)
endfunction()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
spv_corpus_test(recheck recheck.py)
spv_corpus_test(recheck_bent test_recheck.py)
spv_corpus_test(schema test_schema.py)
