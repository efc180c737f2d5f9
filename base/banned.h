/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banned.h - functions that have no place here become compile errors.
 *
 * Include it last: system headers declare these names. Instead of each: snprintf, memcpy with a
 * known length, strtol with its end pointer, strtok_r.
 */
#ifndef NPU_BANNED_H
#define NPU_BANNED_H
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok gets
#pragma GCC poison atoi atol atoll atof gmtime localtime asctime ctime
#endif
