/* SPDX-License-Identifier: Apache-2.0 */
/* storage_shape.h - gert::StorageShape, under the name that projects include. */
#ifndef NPUTWIN_GERT_STORAGE_SHAPE_H
#define NPUTWIN_GERT_STORAGE_SHAPE_H
#include "shape.h"
#endif
