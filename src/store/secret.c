#include "store/secret.h"

#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/digest.h"
#include "store/file.h"

#define MAGIC_LEN 8
#define SUM_LEN   32
#define VERSION   1

/* Magic, version, cipher, two lengths of at most 3 bytes, payload, sum. */
#define FILE_MAX (MAGIC_LEN + 2 + 2 + 3 + 3 + SPV__SECRET_MAX + SUM_LEN)

static const uint8_t MAGIC[MAGIC_LEN] = "spvseed";

typedef enum { CIPHER_NONE = 0 } cipher;

/** The file's bytes; on the stack, so that nothing of it stays in the heap. */
typedef struct {
    uint8_t bytes[FILE_MAX];
    size_t len;
} image;

void spv__secret_clear(spv_secret *s)
{
    spv__cleanse(s, sizeof(*s));
}

/* ---- Writer ---- */

static void add(image *im, const void *bytes, size_t len)
{
    memcpy(im->bytes + im->len, bytes, len);
    im->len += len;
}

static void add_u16(image *im, size_t v)
{
    const uint8_t le[2] = {(uint8_t)v, (uint8_t)(v >> 8)};

    add(im, le, sizeof(le));
}

/** CompactSize of a length under 65,536. */
static void add_len(image *im, size_t len)
{
    static const uint8_t two_bytes = 0xfd;
    const uint8_t one = (uint8_t)len;

    if (len < two_bytes) {
        add(im, &one, 1);
        return;
    }
    add(im, &two_bytes, 1);
    add_u16(im, len);
}

static void encode(image *im, const spv_secret *secret)
{
    spv_hash sum;

    im->len = 0;
    add(im, MAGIC, sizeof(MAGIC));
    add_u16(im, VERSION);
    add_u16(im, CIPHER_NONE);
    add_len(im, 0);
    add_len(im, secret->len);
    add(im, secret->bytes, secret->len);
    spv__sha256d(&sum, im->bytes, im->len);
    add(im, sum.bytes, sizeof(sum.bytes));
}

/* ---- Reader ---- */

static spv_err damaged(const char *path, const char *what, spv_detail *why)
{
    spv__detail_set(why, "%s is damaged: %s", path, what);
    return SPV_DAMAGED;
}

static spv_err from_the_future(const char *path, spv_detail *why)
{
    spv__detail_set(why, "%s was written by a newer version of this program",
                    path);
    return SPV_UNSUPPORTED;
}

/** What holds in every version: the magic in front, the checksum behind. */
static spv_err check_frame(const image *im, const char *path, spv_detail *why)
{
    spv_hash sum;

    if (im->len < MAGIC_LEN + 2 + SUM_LEN)
        return damaged(path, "it is too short", why);
    if (memcmp(im->bytes, MAGIC, MAGIC_LEN) != 0)
        return damaged(path, "it does not begin like a secret file", why);
    spv__sha256d(&sum, im->bytes, im->len - SUM_LEN);
    if (memcmp(sum.bytes, im->bytes + im->len - SUM_LEN, SUM_LEN) != 0)
        return damaged(path, "its checksum does not match", why);
    return SPV_OK;
}

static spv_err decode(spv_secret *out, const image *im, const char *path,
                      spv_detail *why)
{
    spv_reader r =
        spv__reader(im->bytes + MAGIC_LEN, im->len - MAGIC_LEN - SUM_LEN);
    const uint8_t *payload;
    uint16_t cipher_id;
    size_t len;

    if (spv__read_u16(&r) != VERSION)
        return from_the_future(path, why);
    cipher_id = spv__read_u16(&r);
    if (r.err == SPV_OK && cipher_id != CIPHER_NONE)
        return from_the_future(path, why);
    (void)spv__read_var_bytes(&r, &len);
    payload = spv__read_var_bytes(&r, &len);
    if (spv__read_end(&r) || len == 0 || len > sizeof(out->bytes))
        return damaged(path, "its lengths do not fit", why);
    memcpy(out->bytes, payload, len);
    out->len = len;
    return SPV_OK;
}

spv_err spv__secret_read(spv_secret *out, const char *path, spv_detail *why)
{
    image im;
    spv_err err;

    spv__secret_clear(out);
    err = spv__file_read(im.bytes, sizeof(im.bytes), &im.len, path, why);
    if (err == SPV_LIMIT)
        err = damaged(path, "it is too long", why);
    if (!err)
        err = check_frame(&im, path, why);
    if (!err)
        err = decode(out, &im, path, why);
    spv__cleanse(&im, sizeof(im));
    return err;
}

/* ---- Creation ---- */

/** Read the file just written; what the disk gives back is what counts. */
static spv_err verify(const char *path, const spv_secret *secret,
                      spv_detail *why)
{
    spv_secret got;
    spv_err err = spv__secret_read(&got, path, why);

    if (!err && (got.len != secret->len ||
                 memcmp(got.bytes, secret->bytes, got.len) != 0))
        err = damaged(path, "it reads back other than it was written", why);
    spv__secret_clear(&got);
    return err ? SPV_IO : SPV_OK;
}

spv_err spv__secret_create(const char *path, const spv_secret *secret,
                           spv_detail *why)
{
    image im;
    spv_err err;

    if (secret->len == 0 || secret->len > SPV__SECRET_MAX) {
        spv__detail_set(why, "a secret has 1 to %d bytes", SPV__SECRET_MAX);
        return SPV_INVAL;
    }
    encode(&im, secret);
    err = spv__file_write(path, im.bytes, im.len, SPV__FILE_NEW, why);
    spv__cleanse(&im, sizeof(im));
    if (err)
        return err;
    err = verify(path, secret, why);
    if (err)
        (void)unlink(path);
    return err;
}
