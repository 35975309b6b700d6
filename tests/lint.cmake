# The rules of the house that a compiler does not check.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(tools ${PROJECT_SOURCE_DIR}/tools)

function(spv_lint name)
  add_test(NAME lint.${name} COMMAND ${ARGN})
  set_tests_properties(lint.${name} PROPERTIES LABELS lint)
endfunction()

spv_lint(layers ${Python3_EXECUTABLE} ${tools}/check_layers.py
  ${PROJECT_SOURCE_DIR}/src)
spv_lint(symbols sh ${tools}/check_symbols.sh $<TARGET_FILE:spv_shared>)
spv_lint(headers ${Python3_EXECUTABLE} ${tools}/check_headers.py
  ${PROJECT_SOURCE_DIR}/include)
if(TARGET spvclient)
  spv_lint(vectors ${Python3_EXECUTABLE} ${tools}/check_vectors_used.py
    ${PROJECT_SOURCE_DIR}/tests/vectors $<TARGET_FILE:spvclient>)
endif()
spv_lint(functions ${Python3_EXECUTABLE} ${tools}/check_functions.py
  ${PROJECT_SOURCE_DIR}/src)

find_program(CLANG_FORMAT clang-format)
if(CLANG_FORMAT)
  spv_lint(format sh ${tools}/check_format.sh ${CLANG_FORMAT}
    ${PROJECT_SOURCE_DIR})
endif()
