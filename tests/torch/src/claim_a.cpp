// SPDX-License-Identifier: Apache-2.0
// Two shared objects that both claim one namespace for the whole process (with claim_b.cpp).
#include <torch/library.h>
TORCH_LIBRARY(nputwin_claimed, m) { m.def("scale_rows(Tensor x, float s) -> Tensor"); }
