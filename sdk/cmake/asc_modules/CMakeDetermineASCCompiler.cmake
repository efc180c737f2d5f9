# SPDX-License-Identifier: Apache-2.0
# Finds the compiler of the language ASC; CMake includes this once, at the first enable_language(ASC).
include("${CMAKE_CURRENT_LIST_DIR}/AscHome.cmake")
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
if(NOT CMAKE_ASC_COMPILER)
  if(DEFINED ENV{ASC})
    set(CMAKE_ASC_COMPILER_INIT "$ENV{ASC}")
  else()
    set(CMAKE_ASC_COMPILER_INIT bisheng)
  endif()
  find_program(CMAKE_ASC_COMPILER NAMES ${CMAKE_ASC_COMPILER_INIT}
    HINTS "${ASC_HOME}/bin" "$ENV{ASCEND_HOME_PATH}/${ASC_ARCH_DIR}/ccec_compiler/bin" "$ENV{ASCEND_HOME_PATH}/bin"
    DOC "ASC compiler")
endif()
if(NOT CMAKE_ASC_COMPILER)
  message(FATAL_ERROR "bisheng is neither in ${ASC_HOME}/bin nor on PATH: source set_env.sh of the CANN tree, "
    "or set CMAKE_ASC_COMPILER")
endif()
# A project whose only language is ASC finds no binutils by itself.
find_program(CMAKE_AR NAMES ar)
find_program(CMAKE_RANLIB NAMES ranlib)
set(CMAKE_ASC_COMPILER_AR "${CMAKE_AR}" CACHE FILEPATH "archiver of ASC libraries")
mark_as_advanced(CMAKE_ASC_COMPILER CMAKE_ASC_COMPILER_AR CMAKE_AR CMAKE_RANLIB)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
  "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
