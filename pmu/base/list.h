/* SPDX-License-Identifier: BSD-2-Clause */
/* Expands X-macro lists of X(code, text, ...) into enums and tables. */
#ifndef BARECOUNT_PMU_BASE_LIST_H
#define BARECOUNT_PMU_BASE_LIST_H

#define LIST_CODE(code, ...)  code,
#define LIST_TEXT(code, text) [code] = text,
#define LIST_ROW(code, ...)   [code] = {__VA_ARGS__},

#endif
