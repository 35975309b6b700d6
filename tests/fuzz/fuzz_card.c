#include <stdlib.h>
#include <string.h>

#include "client/disk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One line of the input, as long as it is one of a card. */
static void add_line(spv_card *card, const uint8_t *line, size_t len)
{
    char text[2048];
    char *equals = NULL;

    if (len >= sizeof(text))
        return;
    memcpy(text, line, len);
    text[len] = '\0';
    equals = strchr(text, '=');
    if (!equals)
        return;
    *equals = '\0';
    (void)spv__card_add(card, text, equals + 1);
}

/* What is read can be believed without another look. */
static void check(const spv_profile *p, const spv_plan *plan)
{
    if (p->gap < 1 || p->gap > SPV__GAP_MAX || p->birthday < -1 ||
        p->birthday_time < -1 || p->scan_from < -1)
        abort();
    if (plan->bytes < 1 || plan->bytes > SPV_FILTER_BYTES_MAX ||
        plan->hash_funcs < 1 || plan->hash_funcs > SPV_FILTER_FUNCS_MAX ||
        plan->decoys > SPV__PLAN_DECOYS_MAX ||
        plan->flags > SPV_FILTER_UPDATE_MASK)
        abort();
}

/* A wallet of whatever the card describes is made, or refused. */
static void make(spv_profile *p)
{
    spv_client *c = NULL;

    p->gap = 1;
    if (spv__client_make(&c, spv_network_get(SPV_REGTEST), p, NULL) == SPV_OK)
        spv_client_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spv_card card = SPV_CARD_EMPTY;
    spv_profile p;
    spv_plan plan = {0};
    size_t from = 0;

    for (size_t i = 0; i <= size; i++) {
        if (i < size && data[i] != '\n')
            continue;
        add_line(&card, data + from, i - from);
        from = i + 1;
    }
    if (spv__disk_read_card(&card, spv_network_get(SPV_REGTEST), &p, &plan) ==
        SPV_OK) {
        check(&p, &plan);
        make(&p);
        spv__profile_clear(&p);
    }
    spv__card_clear(&card);
    return 0;
}
