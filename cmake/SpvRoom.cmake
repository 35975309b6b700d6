# A room is a folder under src/: an OBJECT library plus the rooms it may look
# down into.
#
# The closure of those rooms is all that its tests link, so a call upwards
# fails to link long before a reviewer has to notice it.
#
# A room's sources are all the .c files of its folder: what lies in a room
# belongs to it, so there is no list to keep beside it.
function(spv_room name)
  cmake_parse_arguments(R "" "FOLDER" "BELOW" ${ARGN})
  if(NOT R_FOLDER)
    set(R_FOLDER ${name})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${R_FOLDER}/*.c)
  add_library(spv_${name} OBJECT ${sources})
  target_link_libraries(spv_${name} PRIVATE spv_flags)
  set(closure ${name})
  foreach(below IN LISTS R_BELOW)
    get_property(deeper GLOBAL PROPERTY SPV_CLOSURE_${below})
    list(APPEND closure ${deeper})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY SPV_CLOSURE_${name} ${closure})
  set_property(GLOBAL APPEND PROPERTY SPV_ROOMS ${name})
endfunction()

# What a room asks of the outside: its one door to a foreign library.
function(spv_room_needs room)
  target_link_libraries(spv_${room} PRIVATE ${ARGN})
  set_property(GLOBAL APPEND PROPERTY SPV_NEEDS_${room} ${ARGN})
endfunction()

# Leave files out of a room that this configuration cannot furnish.
function(spv_room_without room)
  get_target_property(sources spv_${room} SOURCES)
  foreach(file IN LISTS ARGN)
    list(FILTER sources EXCLUDE REGEX "/${file}$")
  endforeach()
  set_target_properties(spv_${room} PROPERTIES SOURCES "${sources}")
endfunction()

# The objects of the rooms named and of all below them, and what those need.
function(spv_room_objects out needs_out)
  set(closure "")
  foreach(room IN LISTS ARGN)
    get_property(below GLOBAL PROPERTY SPV_CLOSURE_${room})
    list(APPEND closure ${below})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set(objects "")
  set(needs "")
  foreach(r IN LISTS closure)
    list(APPEND objects $<TARGET_OBJECTS:spv_${r}>)
    get_property(more GLOBAL PROPERTY SPV_NEEDS_${r})
    list(APPEND needs ${more})
  endforeach()
  list(REMOVE_DUPLICATES needs)
  set(${out} ${objects} PARENT_SCOPE)
  set(${needs_out} ${needs} PARENT_SCOPE)
endfunction()

# Static and shared libspv from the rooms, with what programs need to find it.
function(spv_library)
  spv_room_objects(objects needs ${ARGN})
  foreach(kind STATIC SHARED)
    string(TOLOWER ${kind} k)
    add_library(spv_${k} ${kind} ${objects})
    set_target_properties(spv_${k} PROPERTIES OUTPUT_NAME spv
      VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME ${k})
    target_include_directories(spv_${k} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(spv_${k} PRIVATE ${needs} $<BUILD_INTERFACE:spv_flags>)
    add_library(spv::${k} ALIAS spv_${k})
  endforeach()
  configure_file(libspv.pc.in libspv.pc @ONLY)
  include(CMakePackageConfigHelpers)
  configure_package_config_file(cmake/spv-config.cmake.in spv-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spv)
  write_basic_package_version_file(spv-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(TARGETS spv_static spv_shared EXPORT spv-targets)
  # What a header declares that is not in the library need not be installed.
  if(NOT SPV_WITH_UV)
    list(APPEND absent PATTERN uv.h EXCLUDE)
  endif()
  if(NOT SPV_WITH_VECTORS)
    list(APPEND absent PATTERN vectors.h EXCLUDE)
  endif()
  install(DIRECTORY include/spv TYPE INCLUDE ${absent})
  install(EXPORT spv-targets NAMESPACE spv::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spv)
  install(FILES ${PROJECT_BINARY_DIR}/spv-config.cmake
                ${PROJECT_BINARY_DIR}/spv-config-version.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/spv)
  install(FILES ${PROJECT_BINARY_DIR}/libspv.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
