# SPDX-License-Identifier: Apache-2.0
# find_package(AICPU): the language of AI CPU kernels is not here; says so instead of "not found".
set(AICPU_FOUND FALSE)
set(AICPU_NOT_FOUND_MESSAGE "this software NPU has AI Cores only: kernels for the AI CPU are not computed. "
  "Tiling that runs on the device runs on the host here (ASC, npu_op_library(... TILING ...)).")
string(CONCAT AICPU_NOT_FOUND_MESSAGE ${AICPU_NOT_FOUND_MESSAGE})
