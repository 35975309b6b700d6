#ifndef SPV_STORE_FILE_H
#define SPV_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#include "store/detail.h"
#include "store/folder.h"

/*
 * Small files written whole: under another name first, synced, moved into
 * place, and the folder synced, so that a crash leaves the old file or the
 * new one. No stdio: its buffers would keep copies of a secret.
 */
typedef enum spv_file_mode {
    SPV__FILE_NEW,    /**< SPV_EXISTS when `path` is there; never overwrites */
    SPV__FILE_REPLACE /**< takes the place of `path` */
} spv_file_mode;

/** Write `len` bytes to `path`, mode 0600. SPV_IO, SPV_EXISTS, SPV_LIMIT. */
spv_err spv__file_write(const char *path, const uint8_t *bytes, size_t len,
                        spv_file_mode mode, spv_detail *why);

/**
 * spv__file_write in two steps, for what is looked at in between: the bytes
 * under another name, synced, that name to `fresh`; and giving them their own.
 * What was never settled is nobody's, and the next write deletes it.
 */
spv_err spv__file_put(spv_path *fresh, const char *path, const uint8_t *bytes,
                      size_t len, spv_detail *why);
spv_err spv__file_settle(const spv_path *fresh, const char *path,
                         spv_file_mode mode, spv_detail *why);

/** Hold on to the file that `path` names, so that it can be wiped when another
 * has taken its place; -1 when it cannot be. To be closed. */
int spv__file_hold(const char *path);

/** Write zeros over a file that was held, as far as the file system lets one.
 * False when it was not, has a name still (its own, or a hard link: somebody's
 * copy), or cannot be written. */
bool spv__file_wipe(int held);

/** Read all of `path` into `out`, its length to `len`. SPV_NOT_FOUND, SPV_IO;
 * SPV_LIMIT when it has more than `cap` bytes. */
spv_err spv__file_read(uint8_t *out, size_t cap, size_t *len, const char *path,
                       spv_detail *why);

/** Make the name of a file or folder just made survive a power cut. SPV_IO. */
spv_err spv__file_sync_parent(const char *path, spv_detail *why);

bool spv__file_exists(const char *path);

#endif
