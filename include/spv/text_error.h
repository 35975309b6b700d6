#ifndef SPV_TEXT_ERROR_H
#define SPV_TEXT_ERROR_H

#include <stddef.h>

#include <spv/err.h>

/** What is wrong with a text that people typed, and where. */
typedef struct spv_text_error {
    spv_err code;
    size_t at;      /**< offset in the text, from 0, where it is wrong */
    char text[160]; /**< one sentence; it never holds a key */
} spv_text_error;

#endif
