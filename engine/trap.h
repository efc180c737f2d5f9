/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trap.h - signals that a kernel raises become faults of its core.
 *
 * The same way out serves kernels that do not end (deadline.h).
 *
 * A wild GM address, a stack that overflows or a division by zero ends the block, not the process:
 * the handler sends the fiber to a landing function. Signals raised anywhere else go to the handler
 * that was there before.
 */
#ifndef NPU_TRAP_H
#define NPU_TRAP_H
#include <pthread.h>

void npu_trap_install(void); /* once a process; cheap when done */
void npu_trap_renew(void);   /* takes the signals back from handlers that were set since */
/* Lets a thread leave its kernel if its launch's time is up and it stands in the kernel's code. */
void npu_trap_kick(pthread_t thread);
void npu_trap_thread(void); /* once a thread: handlers need a stack of their own */
#endif
