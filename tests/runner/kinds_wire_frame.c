#include <stdlib.h>
#include <string.h>

#include "kinds_wire.h"
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

void run_framing(spv_case *c)
{
    const spv_network *network = spv_network_find(case_text(c, "network"));
    const char *reaction = case_text(c, "core_reaction");
    spv_view message = case_hex(c, "message");
    spv_frame_state state = SPV_FRAME_WHOLE;
    spv_frame f;
    size_t i = 0;

    if (!network || message.len < SPV__FRAME_HEADER_LEN) {
        expect_true(c, "a network and a frame of it", false);
        return;
    }
    state = spv__frame_decode(&f, message.bytes, message.len, network);
    while (i < 4 && strcmp(reactions[i].reaction, reaction) != 0)
        i++;
    expect_true(c, "core_reaction known", i < 4);
    if (i < 4)
        expect_int(c, "frame state", state, reactions[i].state);
    if (state == SPV_FRAME_WHOLE)
        expect_int(c, "kind of command", spv__message_find(f.command),
                   SPV_MSG_UNKNOWN);
    if (state == SPV_FRAME_PART)
        expect_int(c, "frame size", (int64_t)f.size,
                   SPV__FRAME_HEADER_LEN + SPV__PAYLOAD_MAX);
}

/* Every beginning of a frame is a part of it, cut wherever it may be. */
void run_framing_fact(spv_case *c)
{
    const spv_network *network = spv_network_find(case_text(c, "network"));
    spv_view message = case_hex(c, "message");
    size_t split = (size_t)case_int(c, "split_at");
    spv_frame f;

    expect_true(c, "split inside the message", network && split < message.len);
    if (!network)
        return;
    for (size_t len = 0; len < message.len; len++)
        expect_int(c, "state of a part",
                   spv__frame_decode(&f, message.bytes, len, network),
                   SPV_FRAME_PART);
    expect_int(c, "state of the whole",
               spv__frame_decode(&f, message.bytes, message.len, network),
               SPV_FRAME_WHOLE);
    expect_text(c, "command", f.command, "ping");
}

/* The vector has no port: it follows here, so a short entry eats it. */
void run_addrv2_address(spv_case *c)
{
    const char *expected = case_text(c, "expected");
    spv_view bytes = case_hex(c, "bytes");
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
    expect_text(c, "entry", sound ? known ? "valid" : "ignore-entry" : "reject",
                expected);
    if (sound) {
        spv__netaddr_put_v2(&out, &addr);
        expect_bytes(c, "entry written", out.bytes, out.len,
                     (spv_view){entry.bytes, entry.len});
    }
    spv__buf_clear(&entry);
    spv__buf_clear(&out);
}

/* Entries of networks we do not know are passed over, not lost count of. */
void run_addrv2_stream(spv_case *c)
{
    spv_view payload = case_hex(c, "payload");
    spv_message m;
    spv_err err =
        spv__message_decode(&m, SPV_MSG_ADDRV2, payload.bytes, payload.len);
    const json_t *list = NULL;
    spv_addr_entry e;

    if (case_has(c, "expected")) {
        expect_text(c, "payload", err == SPV_OK ? "accept" : "reject",
                    case_text(c, "expected"));
        return;
    }
    expect_ok(c, "decoding", err);
    list = expect_array(c, case_json(c, "decoded"), "addresses", m.as.addrs.n);
    for (size_t i = 0; spv__addr_next(&e, &m.as.addrs); i++) {
        const json_t *want = json_array_get(list, i);

        expect_member_int(c, want, "time", e.time);
        expect_member_int(c, want, "services", (int64_t)e.services);
        expect_member_int(c, want, "network_id", e.addr.net);
        expect_member_bytes(c, want, "address_hex", e.addr.addr, e.addr.len);
        expect_member_int(c, want, "port", e.addr.port);
        expect_true(c, "known", e.known == (e.addr.net <= SPV__NET_CJDNS));
    }
}

/* A length is allowed here when so many bytes follow it. No payload holds
 * more than SPV__PAYLOAD_MAX, so we need no bound of our own; lengths that a
 * node allows are tried with all their bytes. */
static void check_length(spv_case *c, spv_view bytes, uint64_t value)
{
    bool allowed = case_bool(c, "allowed_as_length");
    size_t len = bytes.len + (allowed ? (size_t)value : 0);
    uint8_t *input = calloc(len, 1);
    spv_reader r = spv__reader(input, len);
    size_t n = 0;

    expect_true(c, "memory", input != NULL);
    if (!input)
        return;
    memcpy(input, bytes.bytes, bytes.len);
    expect_true(c, "allowed_as_length",
                (spv__read_var_bytes(&r, &n) != NULL) == allowed);
    expect_int(c, "length", (int64_t)n, allowed ? (int64_t)value : 0);
    expect_int(c, "error", r.err, allowed ? SPV_OK : SPV_LIMIT);
    free(input);
}

void run_compactsize(spv_case *c)
{
    spv_view bytes = case_hex(c, "bytes");
    bool valid = case_bool(c, "valid");
    spv_reader r = spv__reader(bytes.bytes, bytes.len);
    uint64_t value = spv__read_compact(&r);
    spv_buf out = SPV_BUF_EMPTY;

    expect_true(c, "valid", (spv__read_end(&r) == SPV_OK) == valid);
    if (!valid) {
        expect_text(c, "reason",
                    r.err == SPV_TRUNCATED   ? "truncated"
                    : r.err == SPV_MALFORMED ? "non-canonical"
                                             : spv_err_name(r.err),
                    case_text(c, "reason"));
        return;
    }
    expect_true(c, "value", value == case_u64(c, "value"));
    spv__put_compact(&out, value);
    expect_bytes(c, "bytes written", out.bytes, out.len, bytes);
    spv__buf_clear(&out);
    check_length(c, bytes, value);
}
