# SPDX-License-Identifier: Apache-2.0
# The driver comes with these modules; a program that cannot say its version is the only failure left.
if(NOT CMAKE_ASC_COMPILER_WORKS)
  execute_process(COMMAND "${CMAKE_ASC_COMPILER}" --version RESULT_VARIABLE _asc_failed OUTPUT_QUIET ERROR_QUIET)
  if(_asc_failed)
    message(FATAL_ERROR "The ASC compiler ${CMAKE_ASC_COMPILER} does not run: ${_asc_failed}")
  endif()
  unset(_asc_failed)
  set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
endif()
