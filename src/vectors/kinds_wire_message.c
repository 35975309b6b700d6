#include <stdio.h>
#include <string.h>

#include "vectors/kinds_wire.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/netaddr.h"

/*
 * Each check compares all that was decoded with the vector's `decoded` object
 * and writes the payload anew, from the decoded values only.
 */
typedef void checker(spv_case *c, spv_message *m, const json_t *want,
                     spv_buf *out);

static void check_nothing(spv_case *c, spv_message *m, const json_t *want,
                          spv_buf *out)
{
    (void)m;
    (void)out;
    spv__expect_int(c, "decoded fields", 0, (int64_t)json_object_size(want));
}

static void check_nonce(spv_case *c, spv_message *m, const json_t *want,
                        spv_buf *out)
{
    const json_t *nonce = json_object_get(want, "nonce");

    spv__expect_true(c, "nonce present",
                     m->has_nonce == json_is_integer(nonce));
    spv__expect_int(c, "nonce", (int64_t)m->as.nonce,
                    json_integer_value(nonce));
    if (m->has_nonce)
        spv__put_u64(out, m->as.nonce);
}

static void check_feefilter(spv_case *c, spv_message *m, const json_t *want,
                            spv_buf *out)
{
    spv__expect_member_int(c, want, "fee_rate_per_kvb", m->as.fee_rate);
    spv__put_u64(out, (uint64_t)m->as.fee_rate);
}

static void check_sendcmpct(spv_case *c, spv_message *m, const json_t *want,
                            spv_buf *out)
{
    bool announce = json_is_true(json_object_get(want, "announce"));

    spv__expect_true(c, "announce", m->as.sendcmpct.announce == announce);
    spv__expect_member_int(c, want, "version",
                           (int64_t)m->as.sendcmpct.version);
    spv__put_u8(out, m->as.sendcmpct.announce);
    spv__put_u64(out, m->as.sendcmpct.version);
}

/* An address in the old form: its 16 bytes, its text and its port. */
static void expect_netaddr(spv_case *c, const spv_netaddr *addr,
                           const json_t *want)
{
    const char *ip = json_string_value(json_object_get(want, "ip"));
    char got_text[SPV__NETADDR_TEXT];
    char want_text[SPV__NETADDR_TEXT];
    spv_buf bytes = SPV_BUF_EMPTY;

    spv__netaddr_format(got_text, addr);
    snprintf(want_text, sizeof(want_text),
             ip && strchr(ip, ':') ? "[%s]:%d" : "%s:%d", ip ? ip : "no ip",
             (int)json_integer_value(json_object_get(want, "port")));
    spv__expect_text(c, "address", got_text, want_text);
    spv__expect_member_int(c, want, "port", addr->port);
    spv__netaddr_put(&bytes, addr);
    spv__expect_member_bytes(c, want, "ip_hex", bytes.bytes, bytes.len - 2);
    spv__buf_clear(&bytes);
}

/* One more than there are: reading fills in where the next would be. */
static spv_addr_entry *made_entries(spv_case *c, const spv_message *m)
{
    return spv__case_alloc(c, m->as.addrs.n + 1, sizeof(spv_addr_entry));
}

static void check_addr(spv_case *c, spv_message *m, const json_t *want,
                       spv_buf *out)
{
    const json_t *list = spv__expect_array(c, want, "addresses", m->as.addrs.n);
    spv_addr_entry *entries = made_entries(c, m);
    size_t n = 0;

    for (; entries && spv__addr_next(&entries[n], &m->as.addrs); n++) {
        const json_t *entry = json_array_get(list, n);

        spv__expect_member_int(c, entry, "time", entries[n].time);
        spv__expect_member_int(c, entry, "services",
                               (int64_t)entries[n].services);
        expect_netaddr(c, &entries[n].addr, entry);
    }
    spv__put_addr(out, entries, n);
}

static void check_addrv2(spv_case *c, spv_message *m, const json_t *want,
                         spv_buf *out)
{
    const json_t *list = spv__expect_array(c, want, "addresses", m->as.addrs.n);
    spv_addr_entry *entries = made_entries(c, m);
    size_t n = 0;

    for (; entries && spv__addr_next(&entries[n], &m->as.addrs); n++) {
        const json_t *entry = json_array_get(list, n);
        const spv_netaddr *addr = &entries[n].addr;

        spv__expect_member_int(c, entry, "time", entries[n].time);
        spv__expect_member_int(c, entry, "services",
                               (int64_t)entries[n].services);
        spv__expect_member_int(c, entry, "network_id", addr->net);
        spv__expect_member_bytes(c, entry, "address_hex", addr->addr,
                                 addr->len);
        spv__expect_member_int(c, entry, "port", addr->port);
    }
    spv__put_addrv2(out, entries, n);
}

static void check_inv(spv_case *c, spv_message *m, const json_t *want,
                      spv_buf *out)
{
    const json_t *list = spv__expect_array(c, want, "items", m->as.inv.n);
    spv_inv *items = spv__case_alloc(c, m->as.inv.n, sizeof(*items));

    for (size_t i = 0; items && i < m->as.inv.n; i++) {
        const json_t *item = json_array_get(list, i);
        spv_hash hash = spv__case_hash_of(c, json_object_get(item, "hash"));

        items[i] = spv__inv_get(&m->as.inv, i);
        spv__expect_member_int(c, item, "type", items[i].type);
        spv__expect_hash(c, "hash", &items[i].hash, &hash);
    }
    if (items)
        spv__put_inv(out, items, m->as.inv.n);
}

static void check_locator(spv_case *c, spv_message *m, const json_t *want,
                          spv_buf *out)
{
    const spv_locator *l = &m->as.locator;
    const json_t *list = spv__expect_array(c, want, "locator", l->hashes.n);
    spv_hash stop = spv__case_hash_of(c, json_object_get(want, "stop"));
    spv_hash hashes[SPV__LOCATOR_MAX];
    size_t n = l->hashes.n;

    spv__expect_member_int(c, want, "version", l->version);
    spv__expect_hash(c, "stop", &l->stop, &stop);
    memcpy(hashes, l->hashes.bytes, n * sizeof(*hashes));
    for (size_t i = 0; i < n; i++) {
        spv_hash hash = spv__case_hash_of(c, json_array_get(list, i));

        spv__expect_hash(c, "locator", &hashes[i], &hash);
    }
    spv__put_locator(out, l->version, hashes, n, &l->stop);
}

static void check_headers(spv_case *c, spv_message *m, const json_t *want,
                          spv_buf *out)
{
    const spv_items *items = &m->as.headers;
    const json_t *list = spv__expect_array(c, want, "headers", items->n);
    uint8_t(*headers)[SPV_HEADER_LEN] =
        spv__case_alloc(c, items->n, sizeof(*headers));

    for (size_t i = 0; headers && i < items->n; i++) {
        const json_t *header = json_array_get(list, i);

        memcpy(headers[i], spv__headers_get(items, i), SPV_HEADER_LEN);
        spv__expect_member_bytes(c, header, "header", headers[i],
                                 SPV_HEADER_LEN);
        spv__expect_member_int(c, header, "tx_count", 0);
    }
    if (headers)
        spv__put_headers(out, (const uint8_t(*)[SPV_HEADER_LEN])headers,
                         items->n);
}

/* Transactions have no writer: they are relayed as the bytes they came in. */
static void check_tx(spv_case *c, spv_message *m, const json_t *want,
                     spv_buf *out)
{
    const spv_tx *tx = &m->as.tx;
    spv_hash txid = spv__case_hash_of(c, json_object_get(want, "txid"));

    spv__expect_hash(c, "txid", &tx->txid, &txid);
    spv__expect_member_int(c, want, "inputs", (int64_t)tx->n_in);
    spv__expect_member_int(c, want, "outputs", (int64_t)tx->n_out);
    spv__put_bytes(out, tx->bytes, tx->len);
}

static void check_filterload(spv_case *c, spv_message *m, const json_t *want,
                             spv_buf *out)
{
    const spv_filterload *f = &m->as.filterload;

    spv__expect_member_bytes(c, want, "filter", f->filter, f->len);
    spv__expect_member_int(c, want, "hash_funcs", f->hash_funcs);
    spv__expect_member_int(c, want, "tweak", f->tweak);
    spv__expect_member_int(c, want, "flags", f->flags);
    spv__put_filterload(out, f);
}

static void check_filteradd(spv_case *c, spv_message *m, const json_t *want,
                            spv_buf *out)
{
    spv__expect_member_bytes(c, want, "data", m->as.filteradd.data,
                             m->as.filteradd.len);
    spv__put_filteradd(out, m->as.filteradd.data, m->as.filteradd.len);
}

static void check_merkleblock(spv_case *c, spv_message *m, const json_t *want,
                              spv_buf *out)
{
    const spv_merkleblock *b = &m->as.merkleblock;
    const json_t *list = spv__expect_array(c, want, "hashes", b->hashes.n);
    spv_hash hash = spv__case_hash_of(c, json_object_get(want, "block_hash"));
    spv_hash got;

    spv_header_hash(&got, b->header);
    spv__expect_hash(c, "block_hash", &got, &hash);
    spv__expect_member_bytes(c, want, "header", b->header, SPV_HEADER_LEN);
    spv__expect_member_int(c, want, "n_transactions", b->n_transactions);
    for (size_t i = 0; i < b->hashes.n; i++)
        spv__expect_bytes(c, "hashes", b->hashes.bytes + 32 * i, 32,
                          spv__case_hex_of(c, json_array_get(list, i)));
    spv__expect_member_bytes(c, want, "flags", b->flags, b->flags_len);
    spv__put_merkleblock(out, b);
}

static void expect_text_of(spv_case *c, const char *what, const char *got,
                           size_t len, const char *want)
{
    spv_view view = {(const uint8_t *)want, strlen(want)};

    spv__expect_bytes(c, what, (const uint8_t *)got, len, view);
}

static void check_version(spv_case *c, spv_message *m, const json_t *want,
                          spv_buf *out)
{
    const spv_version *v = &m->as.version;
    const json_t *to = json_object_get(want, "addr_recv");
    const json_t *from = json_object_get(want, "addr_from");
    const json_t *agent = json_object_get(want, "user_agent");
    const json_t *present = json_object_get(want, "relay_present");
    bool relay = json_is_true(json_object_get(want, "relay"));

    spv__expect_member_int(c, want, "version", v->version);
    spv__expect_member_int(c, want, "services", (int64_t)v->services);
    spv__expect_member_int(c, want, "timestamp", v->time);
    spv__expect_member_int(c, to, "services", (int64_t)v->to_services);
    expect_netaddr(c, &v->to, to);
    spv__expect_member_int(c, from, "services", (int64_t)v->from_services);
    expect_netaddr(c, &v->from, from);
    spv__expect_member_int(c, want, "nonce", (int64_t)v->nonce);
    spv__expect_true(c, "user_agent", json_is_string(agent));
    expect_text_of(c, "user_agent", v->user_agent, v->user_agent_len,
                   json_is_string(agent) ? json_string_value(agent) : "");
    spv__expect_member_int(c, want, "start_height", v->start_height);
    spv__expect_true(c, "relay", v->relay == relay);
    spv__expect_true(c, "relay present",
                     v->relay_present != json_is_false(present));
    spv__put_version(out, v);
    if (!v->relay_present && out->len) /* our writer would never leave it out */
        out->len--;
}

static checker *const checkers[] = {
    [SPV_MSG_VERSION] = check_version,
    [SPV_MSG_VERACK] = check_nothing,
    [SPV_MSG_PING] = check_nonce,
    [SPV_MSG_PONG] = check_nonce,
    [SPV_MSG_WTXIDRELAY] = check_nothing,
    [SPV_MSG_SENDADDRV2] = check_nothing,
    [SPV_MSG_SENDHEADERS] = check_nothing,
    [SPV_MSG_SENDCMPCT] = check_sendcmpct,
    [SPV_MSG_FEEFILTER] = check_feefilter,
    [SPV_MSG_ADDR] = check_addr,
    [SPV_MSG_ADDRV2] = check_addrv2,
    [SPV_MSG_GETADDR] = check_nothing,
    [SPV_MSG_INV] = check_inv,
    [SPV_MSG_GETDATA] = check_inv,
    [SPV_MSG_NOTFOUND] = check_inv,
    [SPV_MSG_GETHEADERS] = check_locator,
    [SPV_MSG_GETBLOCKS] = check_locator,
    [SPV_MSG_HEADERS] = check_headers,
    [SPV_MSG_TX] = check_tx,
    [SPV_MSG_MEMPOOL] = check_nothing,
    [SPV_MSG_FILTERLOAD] = check_filterload,
    [SPV_MSG_FILTERADD] = check_filteradd,
    [SPV_MSG_FILTERCLEAR] = check_nothing,
    [SPV_MSG_MERKLEBLOCK] = check_merkleblock,
};

static void check_payload(spv_case *c, spv_view payload, spv_buf *out)
{
    spv_message_kind kind = spv__message_find(spv__case_text(c, "command"));
    spv_message m;
    spv_err err = spv__message_decode(&m, kind, payload.bytes, payload.len);
    size_t n = sizeof(checkers) / sizeof(checkers[0]);
    checker *check = (size_t)kind < n ? checkers[kind] : NULL;

    spv__expect_ok(c, "decoding", err);
    spv__expect_true(c, "command known to this runner", check != NULL);
    if (err == SPV_OK && check)
        check(c, &m, spv__case_json(c, "decoded"), out);
    spv__message_clear(&m);
}

static void check_frame(spv_case *c, spv_view message,
                        const spv_network *network)
{
    spv_frame f;
    spv_frame_state state =
        spv__frame_decode(&f, message.bytes, message.len, network);

    spv__expect_int(c, "frame state", state, SPV_FRAME_WHOLE);
    if (state != SPV_FRAME_WHOLE)
        return;
    spv__expect_text(c, "command", f.command, spv__case_text(c, "command"));
    spv__expect_bytes(c, "payload", f.payload, f.len,
                      spv__case_hex(c, "payload"));
    spv__expect_int(c, "payload_length", (int64_t)f.len,
                    spv__case_int(c, "payload_length"));
    spv__expect_int(c, "frame size", (int64_t)f.size, (int64_t)message.len);
}

/* The frame is opened, the payload decoded, and both are written again. */
void spv__kind_message(spv_case *c)
{
    const spv_network *network = spv_network_find(spv__case_text(c, "network"));
    const char *command = spv__case_text(c, "command");
    spv_view message = spv__case_hex(c, "message");
    spv_buf out = SPV_BUF_EMPTY;
    size_t mark = 0;

    spv__expect_true(c, "network known", network != NULL);
    spv__expect_true(c, "command known",
                     spv__message_find(command) != SPV_MSG_UNKNOWN);
    if (!network || spv__message_find(command) == SPV_MSG_UNKNOWN)
        return;
    check_frame(c, message, network);
    mark = spv__frame_begin(&out, command, network);
    check_payload(c, spv__case_hex(c, "payload"), &out);
    spv__frame_end(&out, mark);
    spv__expect_ok(c, "writing", out.err);
    spv__expect_buf(c, "message written", &out, message);
    if (out.len >= SPV__FRAME_HEADER_LEN)
        spv__expect_bytes(c, "checksum", out.bytes + 20, 4,
                          spv__case_hex(c, "checksum"));
    spv__buf_clear(&out);
}

/* The four places where a version may end, and what then reads as absent. */
void spv__kind_version_optional_fields(spv_case *c)
{
    static const char *const fields[] = {
        "payload_without_addr_from",
        "payload_without_user_agent",
        "payload_without_start_height",
        "payload_without_relay",
    };

    spv__expect_int(c, "field_order", 4,
                    (int64_t)json_array_size(spv__case_list(c, "field_order")));
    for (size_t i = 0; i < 4; i++) {
        spv_view payload = spv__case_hex(c, fields[i]);
        spv_message m;
        const spv_version *v = &m.as.version;

        if (!spv__expect_ok(c, fields[i],
                            spv__message_decode(&m, SPV_MSG_VERSION,
                                                payload.bytes, payload.len)))
            continue;
        spv__expect_int(c, "version", v->version, 70016);
        spv__expect_int(c, "to.port", v->to.port, 8333);
        spv__expect_true(c, "nonce", (v->nonce != 0) == (i >= 1));
        spv__expect_true(c, "user_agent", (v->user_agent_len != 0) == (i >= 2));
        spv__expect_int(c, "start_height", v->start_height, 0);
        spv__expect_true(c, "relay", v->relay);
        spv__expect_false(c, "relay present", v->relay_present);
        spv__expect_true(c, "one byte less is refused",
                         spv__message_decode(&m, SPV_MSG_VERSION, payload.bytes,
                                             payload.len - 1) != SPV_OK);
    }
}
