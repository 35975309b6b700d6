# tests/property/test_<room>_<file>.c: random runs against an oracle, from fixed
# seeds; linked like unit tests, with the room and what lies below it.
get_property(property_rooms GLOBAL PROPERTY SPV_ROOMS)
foreach(room IN LISTS property_rooms)
  file(GLOB sources CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_LIST_DIR}/test_${room}_*.c)
  spv_room_objects(objects needs ${room})
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "^test_" "property_" target ${name})
    string(REGEX REPLACE "^test_${room}_" "" file ${name})
    add_executable(${target} ${source} ${objects})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests
      ${PROJECT_SOURCE_DIR}/tests/unit)
    target_link_libraries(${target} PRIVATE spv_flags PkgConfig::CMOCKA
      ${needs})
    add_test(NAME property.${room}.${file} COMMAND ${target})
    set_tests_properties(property.${room}.${file} PROPERTIES
      LABELS "property;${room}")
  endforeach()
endforeach()
