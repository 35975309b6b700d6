#include "conform/script_parts.h"

#include <stdlib.h>
#include <string.h>

const spv_script_block *spv__script_own_block(const spv_script_node *n,
                                              const spv_hash *hash)
{
    const spv_script_block *b = spv__script_chain_find(n->chain, hash);

    return b && b->height <= n->tip ? b : NULL;
}

/** Make a header lack work: with every second nonce it does. */
static void spoil_work(uint8_t header[SPV_HEADER_LEN])
{
    spv_hash hash;

    do {
        header[SPV_HEADER_LEN - 4]++;
        spv_header_hash(&hash, header);
    } while (hash.bytes[31] < 0x80);
}

/** Change a header into another with its work. */
static void spoil_root(uint8_t header[SPV_HEADER_LEN])
{
    spv_hash hash;

    do {
        header[SPV_HEADER_LEN - 44]++; /* of the merkle root */
        spv_header_hash(&hash, header);
    } while (hash.bytes[31] >= 0x80);
}

/** What the habit leaves of `count` headers. */
static size_t spoil_headers(const spv_script_node *n,
                            uint8_t (*headers)[SPV_HEADER_LEN], size_t count)
{
    size_t half = count / 2;

    switch (n->habits.headers) {
    case SPV_SCRIPT_TRUE:
    case SPV_SCRIPT_BEYOND:
        return count;
    case SPV_SCRIPT_NONE:
        return 0;
    case SPV_SCRIPT_SHORT:
        return count - half;
    case SPV_SCRIPT_BESIDE:
        if (count > 1)
            spoil_root(headers[count - 1]);
        return count;
    case SPV_SCRIPT_GAP:
        if (count < 2)
            return count;
        memmove(headers[half], headers[half + 1],
                (count - half - 1) * SPV_HEADER_LEN);
        return count - 1;
    }
    return count;
}

void spv__script_say_headers(spv_script_node *n, int32_t after, int32_t last)
{
    size_t count = (size_t)(last - after);
    uint8_t(*headers)[SPV_HEADER_LEN] = calloc(count + 1, SPV_HEADER_LEN);
    spv_script_saying s;

    if (!headers) {
        (void)spv__script_fail(n, SPV_NOMEM);
        return;
    }
    s = spv__script_say_begin(n, "headers");
    for (size_t i = 0; i < count; i++)
        memcpy(headers[i],
               spv__script_chain_at(n->chain, after + 1 + (int32_t)i)->header,
               SPV_HEADER_LEN);
    if (n->habits.easy_header && count > 0)
        spoil_work(headers[count - 1]);
    count = spoil_headers(n, headers, count);
    spv__put_headers(&n->out, (const uint8_t(*)[SPV_HEADER_LEN])headers, count);
    spv__script_say_end(n, s);
    free(headers);
    if (n->habits.easy_header && count > 0)
        spv__script_lied_in_headers(n, INT32_MAX);
    else if (n->habits.headers == SPV_SCRIPT_GAP &&
             count < (size_t)(last - after))
        spv__script_lied_in_headers(n, after + (last - after) / 2);
}

/** The highest own block that a locator names; genesis if it names none. */
static int32_t locate(const spv_script_node *n, const spv_items *hashes)
{
    for (size_t i = 0; i < hashes->n; i++) {
        const spv_script_block *b;
        spv_hash hash;

        memcpy(hash.bytes, hashes->bytes + 32 * i, sizeof(hash.bytes));
        b = spv__script_own_block(n, &hash);
        if (b)
            return b->height;
    }
    return 0;
}

/** A branch of fresh headers above genesis, one short of the chain. */
static void say_branch(spv_script_node *n)
{
    size_t count = n->tip > 0 ? (size_t)n->tip - 1 : 0;
    uint8_t(*headers)[SPV_HEADER_LEN] = calloc(count + 1, SPV_HEADER_LEN);
    spv_hash prev = spv__script_chain_at(n->chain, 0)->hash;
    spv_script_saying s;

    if (!headers) {
        (void)spv__script_fail(n, SPV_NOMEM);
        return;
    }
    s = spv__script_say_begin(n, "headers");
    for (size_t i = 0; i < count; i++) {
        spv_header h;

        spv_header_decode(
            &h, spv__script_chain_at(n->chain, 1 + (int32_t)i)->header);
        h.prev = prev;
        spv__rng_bytes(&n->rng, h.merkle_root.bytes,
                       sizeof(h.merkle_root.bytes));
        do {
            h.nonce++;
            spv_header_encode(headers[i], &h);
            spv_header_hash(&prev, headers[i]);
        } while (prev.bytes[31] >= 0x80); /* regtest: every second will do */
    }
    spv__put_headers(&n->out, (const uint8_t(*)[SPV_HEADER_LEN])headers, count);
    spv__script_say_end(n, s);
    free(headers);
}

void spv__script_on_getheaders(spv_script_node *n, const spv_message *m)
{
    int32_t after = locate(n, &m->as.locator.hashes);
    const spv_script_block *stop =
        spv__script_own_block(n, &m->as.locator.stop);
    int32_t last = n->tip;

    if (n->habits.headers_max > 0 &&
        n->counts.received[SPV_MSG_GETHEADERS] > n->habits.headers_max)
        return;
    if (last - after > SPV__HEADERS_MAX)
        last = after + SPV__HEADERS_MAX;
    if (stop && stop->height >= after && stop->height < last &&
        (n->habits.headers != SPV_SCRIPT_BEYOND || stop->height == after + 1))
        last = stop->height;
    spv__script_say_headers(n, after, last);
    if (n->headers_left == 0)
        return;
    for (; n->headers_left > 0; n->headers_left--)
        say_branch(n);
    spv__script_lied_in_headers(n, INT32_MAX);
}

void spv__script_on_sendheaders(spv_script_node *n, const spv_message *m)
{
    (void)m;
    n->by_headers = !n->habits.inv_only;
}
