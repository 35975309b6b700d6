#include "store/secret.h"

#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/digest.h"
#include "store/file.h"

#define MAGIC_LEN 8
#define SUM_LEN   32
#define VERSION   1

/* What a seal hides: a length, and the most bytes that a secret may have. */
#define HIDDEN_LEN (2 + SPV__SECRET_MAX)

/* Parameters of a seal. */
#define PARAMS_LEN (1 + 4 + 4 + SPV__SECRET_ENTROPY)

/* Magic, version, cipher, a length of 1 byte and one of 3, sum. */
#define FRAME_LEN (MAGIC_LEN + 2 + 2 + 1 + 3 + SUM_LEN)
#define FILE_MAX  (FRAME_LEN + PARAMS_LEN + HIDDEN_LEN + SPV__SEAL_TAG)

static const uint8_t MAGIC[MAGIC_LEN] = "spvseed";

typedef enum { CIPHER_NONE = 0, CIPHER_SEAL = 1 } cipher;

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

static void add_u32(image *im, uint32_t v)
{
    add_u16(im, v & 0xffff);
    add_u16(im, v >> 16);
}

static void begin(image *im, cipher id)
{
    im->len = 0;
    add(im, MAGIC, sizeof(MAGIC));
    add_u16(im, VERSION);
    add_u16(im, id);
}

static void end(image *im)
{
    spv_hash sum;

    spv__sha256d(&sum, im->bytes, im->len);
    add(im, sum.bytes, sizeof(sum.bytes));
}

static void encode(image *im, const spv_secret *secret)
{
    begin(im, CIPHER_NONE);
    add_len(im, 0);
    add_len(im, secret->len);
    add(im, secret->bytes, secret->len);
    end(im);
}

/* ---- Seal ---- */

/** The parameters of a seal. Salt and nonce are borrowed. */
typedef struct {
    spv_scrypt_cost cost;
    const uint8_t *salt;
    const uint8_t *nonce;
} seal_params;

static spv_err derive(uint8_t key[SPV__SEAL_KEY], const seal_params *p,
                      const spv_password *password)
{
    return spv__scrypt(key, SPV__SEAL_KEY, password->bytes, password->len,
                       p->salt, SPV__SECRET_SALT, &p->cost);
}

/** Append a sealed message; all that stands before it is its header. */
static spv_err add_sealed(image *im, const seal_params *p,
                          const uint8_t hidden[HIDDEN_LEN],
                          const spv_password *password)
{
    uint8_t key[SPV__SEAL_KEY];
    const spv_seal seal = {.key = key,
                           .nonce = p->nonce,
                           .header = im->bytes,
                           .header_len = im->len};
    spv_err err = derive(key, p, password);

    if (!err)
        err = spv__seal(&seal, im->bytes + im->len, hidden, HIDDEN_LEN);
    spv__cleanse(key, sizeof(key));
    im->len += HIDDEN_LEN + SPV__SEAL_TAG;
    return err;
}

static spv_err encode_sealed(image *im, const spv_secret *secret,
                             const spv_password *password,
                             const uint8_t *entropy)
{
    const seal_params p = {.cost = password->cost,
                           .salt = entropy,
                           .nonce = entropy + SPV__SECRET_SALT};
    uint8_t hidden[HIDDEN_LEN] = {(uint8_t)secret->len,
                                  (uint8_t)(secret->len >> 8)};
    spv_err err;

    memcpy(hidden + 2, secret->bytes, secret->len);
    begin(im, CIPHER_SEAL);
    add_len(im, PARAMS_LEN);
    add(im, &p.cost.log2_n, 1);
    add_u32(im, p.cost.r);
    add_u32(im, p.cost.p);
    add(im, entropy, SPV__SECRET_ENTROPY);
    add_len(im, HIDDEN_LEN + SPV__SEAL_TAG);
    err = add_sealed(im, &p, hidden, password);
    end(im);
    spv__cleanse(hidden, sizeof(hidden));
    return err;
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

/** A file taken apart; borrowed from its image. */
typedef struct {
    uint16_t cipher;
    const uint8_t *params;
    size_t params_len;
    const uint8_t *payload;
    size_t payload_len;
} parts;

static spv_err split(parts *out, const image *im, const char *path,
                     spv_detail *why)
{
    spv_reader r =
        spv__reader(im->bytes + MAGIC_LEN, im->len - MAGIC_LEN - SUM_LEN);

    if (spv__read_u16(&r) != VERSION)
        return from_the_future(path, why);
    out->cipher = spv__read_u16(&r);
    if (r.err == SPV_OK && out->cipher > CIPHER_SEAL)
        return from_the_future(path, why);
    out->params = spv__read_var_bytes(&r, &out->params_len);
    out->payload = spv__read_var_bytes(&r, &out->payload_len);
    if (spv__read_end(&r))
        return damaged(path, "its lengths do not fit", why);
    return SPV_OK;
}

static spv_err decode_plain(spv_secret *out, const parts *in, const char *path,
                            spv_detail *why)
{
    if (in->payload_len == 0 || in->payload_len > sizeof(out->bytes))
        return damaged(path, "its lengths do not fit", why);
    memcpy(out->bytes, in->payload, in->payload_len);
    out->len = in->payload_len;
    return SPV_OK;
}

static spv_err decode_params(seal_params *out, const parts *in,
                             const char *path, spv_detail *why)
{
    spv_reader r = spv__reader(in->params, in->params_len);

    out->cost.log2_n = spv__read_u8(&r);
    out->cost.r = spv__read_u32(&r);
    out->cost.p = spv__read_u32(&r);
    out->salt = spv__read_bytes(&r, SPV__SECRET_SALT);
    out->nonce = spv__read_bytes(&r, SPV__SEAL_NONCE);
    if (spv__read_end(&r) || in->payload_len != HIDDEN_LEN + SPV__SEAL_TAG)
        return damaged(path, "its lengths do not fit", why);
    if (!spv__scrypt_is_bounded(&out->cost))
        return damaged(path, "it asks for more work than any such file", why);
    return SPV_OK;
}

static spv_err take_hidden(spv_secret *out, const uint8_t hidden[HIDDEN_LEN],
                           const char *path, spv_detail *why)
{
    size_t len = hidden[0] | (size_t)hidden[1] << 8;

    if (len == 0 || len > sizeof(out->bytes))
        return damaged(path, "what it seals is no secret", why);
    memcpy(out->bytes, hidden + 2, len);
    out->len = len;
    return SPV_OK;
}

static spv_err cannot(const char *verb, const char *path, spv_err err,
                      spv_detail *why)
{
    spv__detail_set(why, "cannot %s %s: %s", verb, path, spv_err_text(err));
    return err;
}

static spv_err wrong_password(const char *path, spv_detail *why)
{
    spv__detail_set(why, "the password does not open %s", path);
    return SPV_LOCKED;
}

static spv_err open_sealed(spv_secret *out, const image *im, const parts *in,
                           const seal_params *p, const spv_password *password,
                           const char *path, spv_detail *why)
{
    uint8_t key[SPV__SEAL_KEY];
    uint8_t hidden[HIDDEN_LEN];
    const spv_seal seal = {.key = key,
                           .nonce = p->nonce,
                           .header = im->bytes,
                           .header_len = (size_t)(in->payload - im->bytes)};
    spv_err err = derive(key, p, password);

    if (!err)
        err = spv__unseal(&seal, hidden, in->payload, in->payload_len);
    if (err == SPV_CHECKSUM)
        err = wrong_password(path, why);
    else if (err)
        err = cannot("decrypt", path, err, why);
    else
        err = take_hidden(out, hidden, path, why);
    spv__cleanse(key, sizeof(key));
    spv__cleanse(hidden, sizeof(hidden));
    return err;
}

static spv_err decode(spv_secret *out, const image *im,
                      const spv_password *password, const char *path,
                      spv_detail *why)
{
    parts in;
    seal_params p;
    spv_err err = split(&in, im, path, why);

    if (err)
        return err;
    if (in.cipher == CIPHER_NONE)
        return decode_plain(out, &in, path, why);
    err = decode_params(&p, &in, path, why);
    if (err)
        return err;
    if (password)
        return open_sealed(out, im, &in, &p, password, path, why);
    spv__detail_set(why, "%s is encrypted", path);
    return SPV_LOCKED;
}

spv_err spv__secret_open(spv_secret *out, const char *path,
                         const spv_password *password, spv_detail *why)
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
        err = decode(out, &im, password, path, why);
    spv__cleanse(&im, sizeof(im));
    return err;
}

spv_err spv__secret_read(spv_secret *out, const char *path, spv_detail *why)
{
    return spv__secret_open(out, path, NULL, why);
}

/* ---- Creation ---- */

/** Read the file just written; what the disk gives back is what counts. */
static spv_err verify(const char *path, const spv_secret *secret,
                      const spv_password *password, spv_detail *why)
{
    spv_secret got;
    spv_err err = spv__secret_open(&got, path, password, why);

    if (!err && (got.len != secret->len ||
                 memcmp(got.bytes, secret->bytes, got.len) != 0))
        err = damaged(path, "it reads back other than it was written", why);
    spv__secret_clear(&got);
    if (err)
        (void)unlink(path);
    return err ? SPV_IO : SPV_OK;
}

static spv_err check_len(const spv_secret *secret, spv_detail *why)
{
    if (secret->len > 0 && secret->len <= SPV__SECRET_MAX)
        return SPV_OK;
    spv__detail_set(why, "a secret has 1 to %d bytes", SPV__SECRET_MAX);
    return SPV_INVAL;
}

spv_err spv__secret_create(const char *path, const spv_secret *secret,
                           spv_detail *why)
{
    image im;
    spv_err err = check_len(secret, why);

    if (err)
        return err;
    encode(&im, secret);
    err = spv__file_write(path, im.bytes, im.len, SPV__FILE_NEW, why);
    spv__cleanse(&im, sizeof(im));
    return err ? err : verify(path, secret, NULL, why);
}

/* ---- Sealing what is there ---- */

/** Only a file whose successor is sure to outlive a power cut is wiped. */
static spv_err replace(const char *path, const spv_path *fresh, bool *wiped,
                       spv_detail *why)
{
    int held = spv__file_hold(path);
    spv_err err = spv__file_settle(fresh, path, SPV__FILE_REPLACE, why);
    bool gone = !err && spv__file_wipe(held);

    if (held >= 0)
        (void)close(held);
    if (wiped)
        *wiped = gone;
    return err;
}

spv_err spv__secret_seal(const char *path, const spv_secret *secret,
                         const spv_password *password, const uint8_t *entropy,
                         bool *wiped, spv_detail *why)
{
    image im;
    spv_path fresh;
    spv_err err = check_len(secret, why);

    if (err)
        return err;
    err = encode_sealed(&im, secret, password, entropy);
    if (err)
        return cannot("encrypt", path, err, why);
    err = spv__file_put(&fresh, path, im.bytes, im.len, why);
    if (!err)
        err = verify(fresh.text, secret, password, why);
    if (err)
        return err;
    return replace(path, &fresh, wiped, why);
}
