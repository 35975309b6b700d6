#include <stdlib.h>
#include <string.h>

#include "vectors/kinds_wire.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/netaddr.h"

/* What a node does with a frame, and the state we give such a frame. */
static const struct {
    const char *reaction;
    spv_frame_state state;
} reactions[] = {
    {"disconnect", SPV_FRAME_REFUSED},
    {"message ignored, connection kept", SPV_FRAME_IGNORE},
    {"accepted as incomplete", SPV_FRAME_PART},
    {"unknown command ignored", SPV_FRAME_WHOLE},
};

void spv__kind_framing(spv_case *c)
{
    const spv_network *network = spv_network_find(spv__case_text(c, "network"));
    const char *reaction = spv__case_text(c, "core_reaction");
    spv_view message = spv__case_hex(c, "message");
    spv_frame_state state = SPV_FRAME_WHOLE;
    spv_frame f;
    size_t i = 0;

    if (!network || message.len < SPV__FRAME_HEADER_LEN) {
        spv__expect_true(c, "a network and a frame of it", false);
        return;
    }
    state = spv__frame_decode(&f, message.bytes, message.len, network);
    while (i < 4 && strcmp(reactions[i].reaction, reaction) != 0)
        i++;
    spv__expect_true(c, "core_reaction known", i < 4);
    if (i < 4)
        spv__expect_int(c, "frame state", state, reactions[i].state);
    if (state == SPV_FRAME_WHOLE)
        spv__expect_int(c, "kind of command", spv__message_find(f.command),
                        SPV_MSG_UNKNOWN);
    if (state == SPV_FRAME_PART)
        spv__expect_int(c, "frame size", (int64_t)f.size,
                        SPV__FRAME_HEADER_LEN + SPV__PAYLOAD_MAX);
}

enum { SPLIT_MAX = 65536 }; /* bytes of a message that is cut everywhere */

/* Every beginning of a frame is a part of it, cut wherever it may be. */
void spv__kind_framing_fact(spv_case *c)
{
    const spv_network *network = spv_network_find(spv__case_text(c, "network"));
    spv_view message = spv__case_hex(c, "message");
    size_t split = spv__case_count(c, "split_at", SPLIT_MAX);
    spv_frame_state state = SPV_FRAME_PART;
    spv_frame f;

    spv__expect_true(c, "split inside the message",
                     network && split < message.len);
    spv__expect_true(c, "a short message", message.len <= SPLIT_MAX);
    if (!network || message.len > SPLIT_MAX)
        return;
    for (size_t len = 0; len < message.len; len++)
        spv__expect_int(c, "state of a part",
                        spv__frame_decode(&f, message.bytes, len, network),
                        SPV_FRAME_PART);
    state = spv__frame_decode(&f, message.bytes, message.len, network);
    spv__expect_int(c, "state of the whole", state, SPV_FRAME_WHOLE);
    if (state == SPV_FRAME_WHOLE)
        spv__expect_text(c, "command", f.command, "ping");
}

/* The vector has no port: it follows here, so a short entry eats it. */
void spv__kind_addrv2_address(spv_case *c)
{
    const char *expected = spv__case_text(c, "expected");
    spv_view bytes = spv__case_hex(c, "bytes");
    spv_buf entry = SPV_BUF_EMPTY;
    spv_buf out = SPV_BUF_EMPTY;
    spv_netaddr addr;
    spv_reader r;
    bool known = false;
    bool sound = false;

    spv__put_bytes(&entry, bytes.bytes, bytes.len);
    spv__put_u16be(&entry, 8333);
    r = spv__reader(entry.bytes, entry.len);
    known = spv__netaddr_read_v2(&addr, &r);
    sound = spv__read_end(&r) == SPV_OK;
    spv__expect_text(c, "entry",
                     sound ? known ? "valid" : "ignore-entry" : "reject",
                     expected);
    if (sound) {
        spv__netaddr_put_v2(&out, &addr);
        spv__expect_buf(c, "entry written", &out,
                        (spv_view){entry.bytes, entry.len});
    }
    spv__buf_clear(&entry);
    spv__buf_clear(&out);
}

/* Entries of networks we do not know are passed over, not lost count of. */
void spv__kind_addrv2_stream(spv_case *c)
{
    spv_view payload = spv__case_hex(c, "payload");
    spv_message m;
    spv_err err =
        spv__message_decode(&m, SPV_MSG_ADDRV2, payload.bytes, payload.len);
    const json_t *list = NULL;
    spv_addr_entry e;

    if (spv__case_has(c, "expected")) {
        spv__expect_text(c, "payload", err == SPV_OK ? "accept" : "reject",
                         spv__case_text(c, "expected"));
        return;
    }
    if (!spv__expect_ok(c, "decoding", err))
        return;
    list = spv__expect_array(c, spv__case_json(c, "decoded"), "addresses",
                             m.as.addrs.n);
    for (size_t i = 0; spv__addr_next(&e, &m.as.addrs); i++) {
        const json_t *want = json_array_get(list, i);

        spv__expect_member_int(c, want, "time", e.time);
        spv__expect_member_int(c, want, "services", (int64_t)e.services);
        spv__expect_member_int(c, want, "network_id", e.addr.net);
        spv__expect_member_bytes(c, want, "address_hex", e.addr.addr,
                                 e.addr.len);
        spv__expect_member_int(c, want, "port", e.addr.port);
        spv__expect_true(c, "known", e.known == (e.addr.net <= SPV__NET_CJDNS));
    }
}

enum { LENGTH_MAX = 1 << 26 }; /* above any length that nodes allow */

/* A length is allowed here when so many bytes follow it. No payload holds
 * more than SPV__PAYLOAD_MAX, so we need no bound of our own; lengths that a
 * node allows are tried with all their bytes. */
static void check_length(spv_case *c, spv_view bytes, uint64_t value)
{
    bool allowed =
        spv__case_bool(c, "allowed_as_length") && value <= LENGTH_MAX;
    size_t len = bytes.len + (allowed ? (size_t)value : 0);
    uint8_t *input = spv__case_alloc(c, len, 1);
    spv_reader r = spv__reader(input, len);
    size_t n = 0;

    if (!input)
        return;
    memcpy(input, bytes.bytes, bytes.len);
    spv__expect_true(c, "allowed_as_length",
                     (spv__read_var_bytes(&r, &n) != NULL) == allowed);
    spv__expect_int(c, "length", (int64_t)n, allowed ? (int64_t)value : 0);
    spv__expect_int(c, "error", r.err, allowed ? SPV_OK : SPV_LIMIT);
}

void spv__kind_compactsize(spv_case *c)
{
    spv_view bytes = spv__case_hex(c, "bytes");
    bool valid = spv__case_bool(c, "valid");
    spv_reader r = spv__reader(bytes.bytes, bytes.len);
    uint64_t value = spv__read_compact(&r);
    spv_buf out = SPV_BUF_EMPTY;

    spv__expect_true(c, "valid", (spv__read_end(&r) == SPV_OK) == valid);
    if (!valid) {
        spv__expect_text(c, "reason",
                         r.err == SPV_TRUNCATED   ? "truncated"
                         : r.err == SPV_MALFORMED ? "non-canonical"
                                                  : spv_err_name(r.err),
                         spv__case_text(c, "reason"));
        return;
    }
    spv__expect_true(c, "value", value == spv__case_u64(c, "value"));
    spv__put_compact(&out, value);
    spv__expect_buf(c, "bytes written", &out, bytes);
    spv__buf_clear(&out);
    check_length(c, bytes, value);
}
