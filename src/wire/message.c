#include "wire/message.h"

#include <string.h>

#include "wire/payload.h"

static const char *const commands[] = {[SPV_MSG_UNKNOWN] = "",
#define X(name, command) [SPV_MSG_##name] = (command),
                                       SPV__MESSAGE_MAP(X)
#undef X
};

enum { KINDS = sizeof(commands) / sizeof(commands[0]) };

static spv_payload_reader *const readers[KINDS] = {
    [SPV_MSG_VERSION] = spv__read_version,
    [SPV_MSG_VERACK] = spv__read_nothing,
    [SPV_MSG_PING] = spv__read_ping,
    [SPV_MSG_PONG] = spv__read_pong,
    [SPV_MSG_WTXIDRELAY] = spv__read_nothing,
    [SPV_MSG_SENDADDRV2] = spv__read_nothing,
    [SPV_MSG_SENDHEADERS] = spv__read_nothing,
    [SPV_MSG_SENDCMPCT] = spv__read_sendcmpct,
    [SPV_MSG_FEEFILTER] = spv__read_feefilter,
    [SPV_MSG_ADDR] = spv__read_addr,
    [SPV_MSG_ADDRV2] = spv__read_addrv2,
    [SPV_MSG_GETADDR] = spv__read_nothing,
    [SPV_MSG_INV] = spv__read_inv,
    [SPV_MSG_GETDATA] = spv__read_inv,
    [SPV_MSG_NOTFOUND] = spv__read_inv,
    [SPV_MSG_GETHEADERS] = spv__read_locator,
    [SPV_MSG_GETBLOCKS] = spv__read_locator,
    [SPV_MSG_HEADERS] = spv__read_headers,
    [SPV_MSG_BLOCK] = spv__read_block,
    [SPV_MSG_TX] = spv__read_tx,
    [SPV_MSG_MEMPOOL] = spv__read_nothing,
    [SPV_MSG_FILTERLOAD] = spv__read_filterload,
    [SPV_MSG_FILTERADD] = spv__read_filteradd,
    [SPV_MSG_FILTERCLEAR] = spv__read_nothing,
    [SPV_MSG_MERKLEBLOCK] = spv__read_merkleblock,
    [SPV_MSG_REJECT] = spv__read_reject,
};

spv_message_kind spv__message_find(const char *command)
{
    for (int kind = SPV_MSG_UNKNOWN + 1; kind < KINDS; kind++)
        if (strcmp(command, commands[kind]) == 0)
            return (spv_message_kind)kind;
    return SPV_MSG_UNKNOWN;
}

const char *spv__message_command(spv_message_kind kind)
{
    return commands[kind];
}

spv_err spv__message_decode(spv_message *out, spv_message_kind kind,
                            const uint8_t *payload, size_t len)
{
    spv_reader r = spv__reader(payload, len);
    spv_err err = SPV_OK;

    memset(out, 0, sizeof(*out));
    out->kind = kind;
    if (kind == SPV_MSG_UNKNOWN)
        return SPV_OK;
    readers[kind](out, &r);
    err = spv__read_end(&r);
    if (err != SPV_OK)
        spv__message_clear(out);
    return err;
}

void spv__message_clear(spv_message *m)
{
    if (m->kind == SPV_MSG_TX)
        spv_tx_clear(&m->as.tx);
    m->kind = SPV_MSG_UNKNOWN;
}
