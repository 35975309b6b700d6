#include "conform/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "conform/array.h"
#include "wire/frame.h"

spv_err spv__messages_add(spv_messages *m, const char *command,
                          const uint8_t *payload, size_t len, bool optional)
{
    size_t kept = len < SPV_CONFORM_PAYLOAD_MAX ? len : SPV_CONFORM_PAYLOAD_MAX;
    spv_conform_message *grown = NULL;
    uint8_t *copy = NULL;

    if (m->n == SPV__MESSAGES_MAX)
        return SPV_OK;
    grown = spv__array_grow(m->item, m->n, &m->cap, sizeof(*m->item));
    if (!grown)
        return SPV_NOMEM;
    m->item = grown;
    copy = malloc(kept + 1);
    if (!copy)
        return SPV_NOMEM;
    if (kept > 0)
        memcpy(copy, payload, kept);
    grown[m->n] = (spv_conform_message){
        .payload = copy, .len = kept, .whole_len = len, .optional = optional};
    (void)snprintf(grown[m->n].command, sizeof(grown[m->n].command), "%s",
                   command);
    m->n++;
    return SPV_OK;
}

spv_err spv__messages_add_frames(spv_messages *m, const uint8_t *frames,
                                 size_t len)
{
    spv_reader r = spv__reader(frames, len);
    spv_err err = SPV_OK;

    while (err == SPV_OK && spv__read_left(&r) > 0) {
        char command[SPV__COMMAND_LEN + 1] = {0};
        const uint8_t *head = spv__read_bytes(&r, 4 + SPV__COMMAND_LEN);
        uint32_t n = spv__read_u32(&r);
        const uint8_t *payload = NULL;

        (void)spv__read_u32(&r); /* checksum */
        payload = spv__read_bytes(&r, n);
        if (!head || !payload)
            break;
        memcpy(command, head + 4, SPV__COMMAND_LEN);
        err = spv__messages_add(m, command, payload, n, false);
    }
    return err;
}

void spv__messages_clear(spv_messages *m)
{
    for (size_t i = 0; i < m->n; i++)
        free((void *)m->item[i].payload);
    free(m->item);
    *m = (spv_messages){0};
}

void spv__exchange_clear(spv_exchange *e)
{
    for (size_t i = 0; i < SPV_CONFORM_PARTS; i++)
        spv__messages_clear(&e->of[i]);
}
