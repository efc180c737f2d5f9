# SPDX-License-Identifier: Apache-2.0
# ASC_HOME: the prefix that these modules lie in (<prefix>/[<arch>-linux/]lib64/cmake/asc_modules);
# ASC_BISHENG: its driver.
get_filename_component(_asc_lib64 "${CMAKE_CURRENT_LIST_DIR}/../.." REALPATH)
get_filename_component(ASC_HOME "${_asc_lib64}" DIRECTORY)
if(NOT EXISTS "${ASC_HOME}/nputwin.json")
  get_filename_component(ASC_HOME "${ASC_HOME}" DIRECTORY)
endif()
set(ASC_ARCH_DIR "${CMAKE_HOST_SYSTEM_PROCESSOR}-linux")
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR) # before project()
  execute_process(COMMAND uname -m OUTPUT_VARIABLE ASC_ARCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(ASC_ARCH_DIR "${ASC_ARCH_DIR}-linux")
endif()
set(ASC_BISHENG "${ASC_HOME}/bin/bisheng")
unset(_asc_lib64)
