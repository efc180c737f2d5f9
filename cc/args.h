/* SPDX-License-Identifier: Apache-2.0 */
/*
 * args.h - the command line as a plan.
 *
 * args.def is the table of arguments; this is what reading them leaves behind. Nothing here runs a
 * program or touches a file, but for @response files.
 */
#ifndef CC_ARGS_H
#define CC_ARGS_H
#include "text.h"

enum cc_action {
    CC_LINK,
    CC_COMPILE,
    CC_PREPROCESS,
    CC_SYNTAX,
    CC_SHARED,
    CC_BINARY, /* for aclrtBinaryLoadFromFile */
    CC_ARCHIVE,
    CC_HEADERS
};
enum cc_language { CC_ASC, CC_HOST_SOURCE, CC_OBJECT };

struct cc_input {
    const char *path;
    enum cc_language language;
    const char *x; /* -x of a host source; NULL: by extension */
};

struct cc_args {
    enum cc_action action;
    struct cc_input *input;
    size_t n_inputs;
    const char *output;        /* NULL: not given */
    int arch;                  /* 2201 or 3510 */
    const char *aclrt_headers; /* directory, or NULL */
    const char *toolchain;     /* --gcc-toolchain, or NULL */
    bool aclrt, dc, binary, show, verbose, keep;
    bool has_std, has_opt;   /* -std, -O were given */
    unsigned workspace;      /* HAVE_WORKSPACE, HAVE_TILING: where it is, from the end; 0: none */
    struct cc_words pp, cxx; /* both sides: preprocessor; compiler (and g++ as linker) */
    struct cc_words host_pp, host_cxx, device_pp, device_cxx; /* of -Xhost-start, -Xaicore-start */
    struct cc_words dep;                                      /* -MD, -MMD, -MP, ... */
    struct cc_words dep_target;                               /* pairs: -MT X */
    const char *dep_file;
    struct cc_words link, libs; /* options in order; -l, which go behind the objects */
};

/* What main does next. CC_DONE: --help and the like have printed. */
enum cc_verdict { CC_GO, CC_DONE, CC_USAGE };
enum cc_verdict cc_args_read(int argc, char **argv, struct cc_args *a);

/* "bisheng: error: ..." on stderr; returns false. */
bool cc_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#endif
