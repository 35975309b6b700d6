# Copy a source file with one thing said otherwise.
#
#   cmake -DSOURCE=FILE -DTARGET=FILE -DCHANGES="old@@new[@@old@@new...]" -P ...
#
# Every old text must be there, exactly once: a copy that no longer differs
# from the library would show nothing.
cmake_minimum_required(VERSION 3.22)
file(READ "${SOURCE}" text)
string(REPLACE "@@" ";" changes "${CHANGES}")
while(changes)
  list(POP_FRONT changes old new)
  string(FIND "${text}" "${old}" first)
  string(FIND "${text}" "${old}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${SOURCE} does not say '${old}' just once")
  endif()
  string(REPLACE "${old}" "${new}" text "${text}")
endwhile()
file(WRITE "${TARGET}" "${text}")
