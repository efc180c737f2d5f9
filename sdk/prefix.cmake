# SPDX-License-Identifier: Apache-2.0
# prefix.cmake - the last step of an install: what makes the tree CANN-shaped, and the wheel.
#
# A wheel carries no symbolic links, and build/cann must be the tree that the wheel ships, so
# what real CANN links is copied here. Two copies of one library never meet in a process: all of
# them carry a SONAME, and the hook, set_env.sh and the driver name lib64/ alone.
# Rule: this file runs after every room has installed its own.

if(NPU_PREBUILT)
  install(DIRECTORY ${NPU_PREBUILT}/ DESTINATION . USE_SOURCE_PERMISSIONS)
else()
  set(npu_arch_dir ${NPU_ARCH_DIR})
  set(npu_version ${PROJECT_VERSION})
  # One place says which CANN this is: what aclsysGetCANNVersion answers.
  file(STRINGS rt/ascendcl/system.c npu_cann_version REGEX "cann_version = ")
  string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" npu_cann_version "${npu_cann_version}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS rt/ascendcl/system.c)
  configure_file(sdk/finish_prefix.cmake.in finish_prefix.cmake @ONLY)
  install(SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/finish_prefix.cmake)
  install(FILES sdk/set_env.sh DESTINATION .
          PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endif()

# scikit-build-core only: the import hook, and the commands on PATH. The commands are the same
# C programs; they find the prefix from where they lie.
if(SKBUILD)
  install(FILES sdk/hook/nputwin.pth DESTINATION ${SKBUILD_PLATLIB_DIR})
  foreach(command nputwin npu-smi bisheng)
    if(NPU_PREBUILT)
      install(PROGRAMS ${NPU_PREBUILT}/bin/${command} DESTINATION ${SKBUILD_SCRIPTS_DIR})
    else()
      install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${command} DESTINATION ${SKBUILD_SCRIPTS_DIR})
    endif()
  endforeach()
endif()
