/* SPDX-License-Identifier: Apache-2.0 */
/* template_argument.h - kernels chosen by template arguments: each macro refuses by its name. */
#ifndef NPUTWIN_TEMPLATE_ARGUMENT_H
#define NPUTWIN_TEMPLATE_ARGUMENT_H
#define NPUTWIN_NO_TEMPLATES(macro)                                                                \
    static_assert(false, macro " is not supported by nputwin; use SetTilingKey and TILING_KEY_IS")
#define ASCENDC_TPL_ARGS_DECL(...) NPUTWIN_NO_TEMPLATES("ASCENDC_TPL_ARGS_DECL");
#define ASCENDC_TPL_SEL(...)
#define ASCENDC_TPL_SEL_PARAM(...) NPUTWIN_NO_TEMPLATES("ASCENDC_TPL_SEL_PARAM")
#endif
