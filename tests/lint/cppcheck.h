/* SPDX-License-Identifier: Apache-2.0 */
/* Macros of system headers that change what code means; cppcheck does not read those headers. */
#define cJSON_ArrayForEach(element, array)                                                         \
    for (element = (array) ? (array)->child : 0; element; element = element->next)
#define ElfW(type) Elf64_##type
