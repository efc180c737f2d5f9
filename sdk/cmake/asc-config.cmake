# SPDX-License-Identifier: Apache-2.0
# find_package(ASC): makes the language ASC (Ascend C, compiled by bisheng) known to project() and
# enable_language(), and defines the ascendc_* functions. May stand before project().
#
# Read before: CMAKE_ASC_ARCHITECTURES (dav-2201, dav-3510), CMAKE_ASC_RUN_MODE (npu, cpu, sim),
# CMAKE_ASC_STANDARD (17), CMAKE_ASC_FLAGS, CMAKE_ASC_COMPILER, CMAKE_ASC_COMPILER_LAUNCHER.
get_filename_component(_asc_modules "${CMAKE_CURRENT_LIST_DIR}/asc_modules" REALPATH)
if(NOT _asc_modules IN_LIST CMAKE_MODULE_PATH)
  list(APPEND CMAKE_MODULE_PATH "${_asc_modules}")
endif()
include("${_asc_modules}/AscHome.cmake")
include("${_asc_modules}/AscFunctions.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/npu_op.cmake")
unset(_asc_modules)
set(ASC_FOUND TRUE)
