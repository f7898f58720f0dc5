/* SPDX-License-Identifier: BSD-2-Clause */
/* What a list of X(code, text, ...) is made into: an enum of its codes, a table by them. */
#ifndef BARECOUNT_PMU_BASE_LIST_H
#define BARECOUNT_PMU_BASE_LIST_H

#define LIST_CODE(code, ...)  code,
#define LIST_TEXT(code, text) [code] = text,
#define LIST_ROW(code, ...)   [code] = {__VA_ARGS__},

#endif
