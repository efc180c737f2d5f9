# SPDX-License-Identifier: Apache-2.0
# ascendc_library() and its relatives, for both generations.
include_guard(GLOBAL)

# asc_choose_soc(<name> <variable>): the chip to compile for, as the driver knows it. A placeholder left
# in a CMakeLists.txt takes NPUTWIN_SOC; a name that the driver does not know stops the configure.
function(asc_choose_soc name variable)
  if(name STREQUAL "" OR name MATCHES "^[Aa]scend[Xx][Xx]+[Yy]*$")
    set(chosen "$ENV{NPUTWIN_SOC}")
    if(chosen STREQUAL "")
      set(chosen Ascend910B2)
    endif()
    if(NOT name STREQUAL "")
      message(NOTICE "SOC_VERSION is still the placeholder ${name}: compiling for ${chosen} (NPUTWIN_SOC chooses another)")
    endif()
  else()
    set(chosen "${name}")
  endif()
  execute_process(COMMAND "${ASC_BISHENG}" --npu-soc=${chosen} --version
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE reason OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    string(STRIP "${reason}" reason)
    message(FATAL_ERROR "SOC_VERSION ${chosen}: ${reason}")
  endif()
  set(${variable} ${chosen} PARENT_SCOPE)
endfunction()

# ascendc_library(<name> STATIC|SHARED|OBJECT <source>...): a library of kernels. Whoever links it may
# include aclrtlaunch_<kernel>.h, and gets the runtime.
function(ascendc_library name type)
  if(NOT type MATCHES "^(STATIC|SHARED|OBJECT)$")
    message(FATAL_ERROR "ascendc_library(${name} ${type} ...): the second word must be STATIC, SHARED or OBJECT")
  endif()
  if(NOT ARGN)
    message(FATAL_ERROR "ascendc_library(${name} ${type}): no sources")
  endif()
  add_library(${name} ${type} ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:ASC>:--aclrt-launch>)

  set(headers "${CMAKE_BINARY_DIR}/include/${name}")
  target_include_directories(${name} INTERFACE "${headers}" "${ASC_HOME}/include"
    "${ASC_HOME}/${ASC_ARCH_DIR}/asc/include")
  target_link_directories(${name} INTERFACE "${ASC_HOME}/lib64")
  target_link_libraries(${name} INTERFACE ascendc_runtime ascendcl)
  _asc_launch_headers(${name} "${headers}" ${ARGN})
endfunction()

# One command a source writes aclrtlaunch_<kernel>.h of each of its kernels; the stamp is what make
# can wait for, because nobody knows the names of kernels before.
function(_asc_launch_headers name headers)
  set(stamps)
  set(defines "$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>")
  set(includes "$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>")
  set(arch ${CMAKE_ASC_ARCHITECTURES})
  file(MAKE_DIRECTORY "${headers}")
  foreach(source IN LISTS ARGN)
    get_filename_component(path "${source}" ABSOLUTE)
    string(MAKE_C_IDENTIFIER "${source}" stamp)
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/launch_${stamp}.stamp")
    set(follow)
    if(CMAKE_GENERATOR MATCHES "Ninja" OR CMAKE_VERSION VERSION_GREATER_EQUAL 3.20)
      set(follow DEPFILE "${stamp}.d")
    endif()
    add_custom_command(OUTPUT "${stamp}"
      COMMAND "${CMAKE_ASC_COMPILER}" "--aclrt-headers=${headers}" ${ASC_CHIP_OPTION}
        "$<$<BOOL:${defines}>:-D$<JOIN:${defines},;-D>>" "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
        -std=c++${ASC_STANDARD} -MD -MT "${stamp}" -MF "${stamp}.d" -x asc "${path}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS "${path}" ${follow} COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Launch headers of ${source}")
    list(APPEND stamps "${stamp}")
  endforeach()
  add_custom_target(${name}_launch_headers DEPENDS ${stamps})
  add_dependencies(${name} ${name}_launch_headers)
endfunction()

# ascendc_compile_definitions(<library> PRIVATE|PUBLIC|INTERFACE [-D]<definition>...)
function(ascendc_compile_definitions name)
  target_compile_definitions(${name} ${ARGN})
endfunction()

function(ascendc_include_directories name)
  target_include_directories(${name} ${ARGN})
endfunction()

# ascendc_compile_options(<library> PRIVATE|... <option>... [-forward-options-to-host-compiler <option>...])
# Without the marker both sides get the options: one compile then still serves both.
function(ascendc_compile_options name scope)
  list(FIND ARGN "-forward-options-to-host-compiler" marker)
  if(marker LESS 0)
    target_compile_options(${name} ${scope} ${ARGN})
    return()
  endif()
  list(SUBLIST ARGN 0 ${marker} device)
  math(EXPR behind "${marker} + 1")
  list(SUBLIST ARGN ${behind} -1 host)
  if(device)
    string(JOIN " " device ${device})
    target_compile_options(${name} ${scope} "SHELL:-Xaicore-start ${device} -Xaicore-end")
  endif()
  if(host)
    string(JOIN " " host ${host})
    target_compile_options(${name} ${scope} "SHELL:-Xhost-start ${host} -Xhost-end")
  endif()
endfunction()

# ascendc_fatbin_library(<name> <source>...): a binary for aclrtBinaryLoadFromFile, installed as
# fatbin/<name>/<name>.o. The target of that name is never compiled: it holds what the
# ascendc_compile_* and ascendc_include_* functions set.
function(ascendc_fatbin_library name)
  if(NOT ARGN)
    message(FATAL_ERROR "ascendc_fatbin_library(${name}): no sources")
  endif()
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ASC)
  set(binary "${CMAKE_CURRENT_BINARY_DIR}/fatbin/${name}/${name}.o")
  set(defines "$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>")
  set(includes "$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>")
  set(paths)
  foreach(source IN LISTS ARGN)
    get_filename_component(path "${source}" ABSOLUTE)
    list(APPEND paths "${path}")
  endforeach()
  set(follow)
  list(LENGTH paths n)
  if(n EQUAL 1 AND (CMAKE_GENERATOR MATCHES "Ninja" OR CMAKE_VERSION VERSION_GREATER_EQUAL 3.20))
    set(follow DEPFILE "${binary}.d")
    set(rule -MD -MT "${binary}" -MF "${binary}.d")
  endif()
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fatbin/${name}")
  add_custom_command(OUTPUT "${binary}"
    COMMAND "${CMAKE_ASC_COMPILER}" --cce-aicore-only ${ASC_CHIP_OPTION}
      "$<$<BOOL:${defines}>:-D$<JOIN:${defines},;-D>>" "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
      "$<TARGET_PROPERTY:${name},COMPILE_OPTIONS>" -std=c++${ASC_STANDARD} ${rule} -x asc ${paths} -o "${binary}"
    DEPENDS ${paths} ${follow} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Binary of kernels ${name}.o")
  add_custom_target(${name}_binary ALL DEPENDS "${binary}")
  install(FILES "${binary}" DESTINATION fatbin/${name})
endfunction()
