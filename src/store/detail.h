#ifndef SPV_STORE_DETAIL_H
#define SPV_STORE_DETAIL_H

/*
 * What a failure of disk or data says to the user.
 *
 * An spv_err tells a program what to do; this tells a person which file it
 * was and why: "cannot open /x/y: Permission denied". Every function of this
 * room that can fail fills one, when given one (NULL is allowed). No secret
 * is ever written to it.
 */
typedef struct spv_detail {
    char text[640]; /**< one sentence without a full stop; "" when none */
} spv_detail;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void spv__detail_set(spv_detail *why, const char *format, ...);

/** "cannot VERB PATH: what errno says". Keeps errno. */
void spv__detail_errno(spv_detail *why, const char *verb, const char *path);

#endif
