#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "client/client.h"
#include "wallet/account.h"
#include "wallet/secp.h"

/*
 * What the user asked for, as a profile: descriptors in their public form, and
 * apart from it the secrets.
 */

void spv__secrets_clear(spv_secrets *s)
{
    spv__buf_cleanse(&s->text);
    spv__cleanse(s->entropy, sizeof(s->entropy));
}

/* ---- Wallets with a mnemonic ---- */

static spv_err add_account(spv_profile *p, const uint8_t *seed,
                           spv_account_type type, uint32_t account,
                           const spv_network *network)
{
    spv_buf text = SPV_BUF_EMPTY;
    spv_err err =
        spv__account_descriptor(&text, seed, type, account, false, network);

    spv__put_u8(&text, '\0');
    if (err == SPV_OK)
        err = text.err;
    if (err == SPV_OK)
        err = spv__profile_add(p, (const char *)text.bytes);
    spv__buf_clear(&text);
    return err;
}

/* The account of the type, or of each type there is. The one that people are
 * most likely to want addresses of comes first. */
static spv_err add_accounts(spv_profile *p, const uint8_t *seed,
                            const spv_wallet_spec *spec,
                            const spv_network *network)
{
    static const spv_account_type all[] = {
        SPV_ACCOUNT_WPKH, SPV_ACCOUNT_TR, SPV_ACCOUNT_SH_WPKH, SPV_ACCOUNT_PKH};
    spv_account_type type = SPV_ACCOUNT_WPKH;
    spv_err err = SPV_OK;

    if (strcmp(spec->type, "all") != 0) {
        err = spv__account_type_find(&type, spec->type);
        return err == SPV_OK
                   ? add_account(p, seed, type, spec->account, network)
                   : err;
    }
    for (size_t i = 0; i < SPV__ACCOUNT_TYPES && err == SPV_OK; i++)
        err = add_account(p, seed, all[i], spec->account, network);
    return err;
}

/* The secret file's text: a line each, as docs/files.md says. */
static void put_line(spv_buf *out, const char *key, const char *value)
{
    spv__put_bytes(out, key, strlen(key));
    spv__put_u8(out, '=');
    spv__put_bytes(out, value, strlen(value));
    spv__put_u8(out, '\n');
}

static spv_err write_secret(spv_buf *out, const spv_wallet_spec *spec,
                            const char *passphrase)
{
    char words[SPV_MNEMONIC_TEXT];
    spv_err err = spv_mnemonic_parse(words, spec->mnemonic, NULL);

    if (err != SPV_OK)
        return err;
    /* Room for all of it: growing would leave copies behind. */
    (void)spv__buf_room(out, sizeof(words) + strlen(passphrase) + 32);
    put_line(out, "mnemonic", words);
    put_line(out, "passphrase", passphrase);
    spv__cleanse(words, sizeof(words));
    return out->err;
}

/* The filter of a seed's wallet is the seed's: made again from its words it has
 * the same tweak and decoys, and who saw it before learns nothing by comparing.
 * Other wallets of the seed have others, so that they are not known by them. */
static void draw_plan(uint8_t out[32], const uint8_t seed[SPV__SEED_LEN],
                      const spv_wallet_spec *spec, const spv_network *network)
{
    char purpose[96];
    int len =
        snprintf(purpose, sizeof(purpose), "spvclient filter plan %s %s %u",
                 network->name, spec->type, (unsigned)spec->account);

    spv__hmac_sha256(out, seed, SPV__SEED_LEN, purpose, (size_t)len);
}

static spv_err of_mnemonic(spv_profile *p, spv_secrets *secrets,
                           const spv_wallet_spec *spec,
                           const spv_network *network, spv_trouble *trouble)
{
    const char *passphrase = spec->passphrase ? spec->passphrase : "";
    uint8_t seed[SPV__SEED_LEN];
    uint8_t noise[32];
    spv_text_error why = {0};
    spv_err err = spv__mnemonic_seed(seed, spec->mnemonic, passphrase, &why);

    if (err != SPV_OK)
        return spv__trouble_set(trouble, err, "mnemonic: %s", why.text);
    spv__hmac_sha256(noise, spec->entropy, 32, "blinding", 8);
    spv__secp_blind(noise);
    err = add_accounts(p, seed, spec, network);
    if (err == SPV_NOT_FOUND)
        err = spv__trouble_set(trouble, SPV_INVAL,
                               "'%s' is no wallet type (pkh, sh-wpkh, wpkh, "
                               "tr or all)",
                               spec->type);
    if (err == SPV_OK)
        err = write_secret(&secrets->text, spec, passphrase);
    if (err == SPV_OK)
        draw_plan(secrets->entropy, seed, spec, network);
    spv__cleanse(seed, sizeof(seed));
    return err;
}

/* ---- Watch-only wallets ---- */

/* A script without a push that a filter could hold is found by no node. */
static spv_err check_findable(const char *text, const spv_network *network,
                              spv_trouble *trouble)
{
    spv_descriptors list = {0};
    spv_derived first = {0};
    spv_err err = spv__descriptors_parse(&list, text, network, NULL);

    for (size_t i = 0; i < list.n && err == SPV_OK; i++) {
        err = spv__descriptor_derive(list.item[i], 0, &first);
        if (err == SPV_OK && first.n_elements == 0)
            err = spv__trouble_set(trouble, SPV_UNSUPPORTED,
                                   "%s: no filter can match this script", text);
    }
    spv__descriptors_clear(&list);
    return err;
}

/* By text; of likes the one that was named first. */
static int compare_slots(const void *a, const void *b)
{
    char *const *one = *(char *const *const *)a;
    char *const *other = *(char *const *const *)b;
    int order = strcmp(*one, *other);

    return order ? order : (one > other) - (one < other);
}

/* Tens of thousands may be named: they are sorted, not compared in pairs. */
static spv_err drop_doubles(spv_profile *p)
{
    char ***slot = malloc(p->n_descriptors * sizeof(*slot));
    const char *last = NULL;
    size_t n = 0;

    if (!slot)
        return SPV_NOMEM;
    for (size_t i = 0; i < p->n_descriptors; i++)
        slot[i] = &p->descriptors[i];
    qsort(slot, p->n_descriptors, sizeof(*slot), compare_slots);
    for (size_t i = 0; i < p->n_descriptors; i++) {
        if (!last || strcmp(last, *slot[i]) != 0) {
            last = *slot[i];
            continue;
        }
        free(*slot[i]);
        *slot[i] = NULL;
    }
    for (size_t i = 0; i < p->n_descriptors; i++)
        if (p->descriptors[i])
            p->descriptors[n++] = p->descriptors[i];
    p->n_descriptors = n;
    free(slot);
    return SPV_OK;
}

/* One that is named twice is watched once. */
static spv_err of_descriptors(spv_profile *p, const spv_wallet_spec *spec,
                              const spv_network *network, spv_trouble *trouble)
{
    if (spec->n_descriptors == 0)
        return spv__trouble_set(trouble, SPV_INVAL,
                                "nothing was named that could be watched");
    for (size_t i = 0; i < spec->n_descriptors; i++) {
        char text[SPV_DESCRIPTOR_TEXT_MAX];
        spv_text_error why = {0};
        spv_err err = spv_descriptor_expand(
            text, sizeof(text), spec->descriptors[i], network, &why);

        if (err != SPV_OK)
            return spv__trouble_set(trouble, err, "%s", why.text);
        err = check_findable(text, network, trouble);
        if (err == SPV_OK)
            err = spv__profile_add(p, text);
        if (err != SPV_OK)
            return err;
    }
    return drop_doubles(p);
}

static uint8_t flags_of(spv_wallet_updates updates)
{
    switch (updates) {
    case SPV_WALLET_UPDATES_ALL:
        return SPV_FILTER_UPDATE_ALL;
    case SPV_WALLET_UPDATES_P2PUBKEY_ONLY:
        return SPV_FILTER_UPDATE_P2PUBKEY_ONLY;
    case SPV_WALLET_UPDATES_NONE:
        return SPV_FILTER_UPDATE_NONE;
    }
    return SPV_FILTER_UPDATE_ALL;
}

static bool is_rate(double rate)
{
    return rate == 0 || (rate >= SPV_FP_RATE_LEAST && rate <= SPV_FP_RATE_MOST);
}

spv_err spv__profile_of_spec(spv_profile *out, spv_secrets *secrets,
                             const spv_wallet_spec *spec,
                             const spv_network *network, spv_trouble *trouble)
{
    uint32_t gap = spec->gap ? spec->gap : SPV__GAP_DEFAULT;
    uint32_t ahead = spec->lookahead ? spec->lookahead : SPV__CLIENT_LOOKAHEAD;
    const char *type = spec->mnemonic ? spec->type : "watch";
    spv_err err = SPV_OK;

    spv__profile_clear(out);
    if (gap > SPV__GAP_MAX || ahead > SPV__GAP_MAX)
        return spv__trouble_set(
            trouble, SPV_INVAL, "the %s must be from 1 to %d",
            gap > SPV__GAP_MAX ? "gap" : "lookahead", SPV__GAP_MAX);
    if (!is_rate(spec->fp_rate))
        return spv__trouble_set(trouble, SPV_INVAL,
                                "the filter's rate of false positives must be "
                                "from %g to %g",
                                SPV_FP_RATE_LEAST, SPV_FP_RATE_MOST);
    if (!type)
        return spv__trouble_set(trouble, SPV_INVAL, "a wallet needs a type");
    (void)snprintf(out->type, sizeof(out->type), "%s", type);
    out->watch_only = !spec->mnemonic;
    out->gap = gap;
    out->lookahead = ahead;
    out->fp_rate = spec->fp_rate;
    out->flags = flags_of(spec->updates);
    out->birthday = spec->birthday;
    out->birthday_time = spec->birthday_time < -1 ? 0 : spec->birthday_time;
    memcpy(secrets->entropy, spec->entropy, sizeof(secrets->entropy));
    if (spec->mnemonic)
        err = of_mnemonic(out, secrets, spec, network, trouble);
    else
        err = of_descriptors(out, spec, network, trouble);
    if (err != SPV_OK)
        spv__profile_clear(out);
    return err;
}
