#include "sim/truth.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "client/client.h"
#include "support/must.h"

static char difference[300];

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static const char *
differ(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(difference, sizeof(difference), format, args);
    va_end(args);
    return difference;
}

/** The first bytes of a hash as people see it, enough to find it. */
static const char *short_name(const spv_hash *hash)
{
    static char text[2][9];
    static size_t turn;
    char *out = text[turn = 1 - turn];

    for (size_t i = 0; i < 4; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", hash->bytes[31 - i]);
    return out;
}

/* ---- Coins ---- */

static const spv_coin *find_coin(const spv_coin *coins, size_t n,
                                 const spv_outpoint *at)
{
    for (size_t i = 0; i < n; i++)
        if (spv_outpoint_equal(&coins[i].outpoint, at))
            return &coins[i];
    return NULL;
}

static bool same_coin(const spv_coin *found, const genwallet_coin *coin)
{
    return found->amount == coin->out.value && found->height == coin->height &&
           found->coinbase == coin->coinbase &&
           found->script_len == coin->out.len &&
           memcmp(found->script, coin->out.script, coin->out.len) == 0;
}

static size_t count_confirmed(const spv_coin *coins, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += coins[i].height != SPV_NO_HEIGHT;
    return count;
}

static const char *compare_coins(const spv_coin *found, size_t n_found,
                                 const genwallet *book, bool all)
{
    size_t n = 0;
    size_t unspent = 0;
    const genwallet_coin *coins = genwallet_coins(book, &n);

    for (size_t i = 0; i < n; i++) {
        const spv_outpoint *at = &coins[i].at;
        const spv_coin *coin = find_coin(found, n_found, at);

        if (coin && coin->height == SPV_NO_HEIGHT)
            coin = NULL;
        if (coins[i].spent && coin)
            return differ("coin %s:%u of height %d is spent, but listed",
                          short_name(&at->txid), at->vout, coins[i].height);
        if (coin && !genwallet_is_open(book, &coins[i]))
            return differ("coin %s:%u of height %d is beyond the window, but "
                          "listed",
                          short_name(&at->txid), at->vout, coins[i].height);
        if (!coins[i].spent && !coin && genwallet_is_open(book, &coins[i]) &&
            (all || coins[i].is_sure))
            return differ("coin %s:%u of height %d is missing",
                          short_name(&at->txid), at->vout, coins[i].height);
        if (coin && !same_coin(coin, &coins[i]))
            return differ("coin %s:%u is shown wrongly", short_name(&at->txid),
                          at->vout);
        unspent += coin != NULL;
    }
    if (count_confirmed(found, n_found) != unspent)
        return differ("%zu coins are nobody's",
                      count_confirmed(found, n_found) - unspent);
    return NULL;
}

/* ---- History ---- */

static bool same_tx(const spv_wallet_tx *found, const genwallet_tx *tx,
                    const spv_script_chain *chain)
{
    int64_t fee = tx->fee < 0 ? SPV_NO_FEE : tx->fee;

    return spv_hash_equal(&found->txid, &tx->txid) &&
           found->height == tx->height && found->net == tx->net &&
           found->fee == fee &&
           spv_hash_equal(&found->block_hash,
                          &spv__script_chain_at(chain, tx->height)->hash);
}

/** Confirmed ones, in the order of the chain. */
static const char *compare_history(const spv_wallet_tx *found, size_t n_found,
                                   genwallet *book,
                                   const spv_script_chain *chain)
{
    size_t n = 0;
    const genwallet_tx *txs = genwallet_history(book, &n);
    size_t n_confirmed = 0;

    while (n_confirmed < n_found &&
           found[n_confirmed].state == SPV_TX_CONFIRMED)
        n_confirmed++;
    for (size_t i = n_confirmed; i < n_found; i++)
        if (found[i].height != SPV_NO_HEIGHT)
            return differ("transaction %s is out of order",
                          short_name(&found[i].txid));
    for (size_t i = 0; i < n && i < n_confirmed; i++)
        if (!same_tx(&found[i], &txs[i], chain))
            return differ("transaction %zu is %s of height %d, not %s of %d "
                          "as in the book, or differs",
                          i, short_name(&found[i].txid), found[i].height,
                          short_name(&txs[i].txid), txs[i].height);
    if (n != n_confirmed)
        return differ("%zu transactions confirmed, not %zu", n_confirmed, n);
    return NULL;
}

/* ---- All of it ---- */

static const char *compare_balance(const spv_client *client,
                                   const genwallet *book, int32_t tip)
{
    genwallet_balance want = genwallet_balance_at(book, tip);
    spv_balance is;

    spv_client_balance(client, &is);
    if (is.confirmed == want.confirmed && is.immature == want.immature &&
        is.total == is.confirmed + is.immature + is.unconfirmed)
        return NULL;
    return differ("balance is %" PRId64 " and %" PRId64 " immature, not "
                  "%" PRId64 " and %" PRId64,
                  is.confirmed, is.immature, want.confirmed, want.immature);
}

/** The next branch at or after `*i` that has a window. */
static bool next_window(const spv_client *client, size_t *i, spv_branch *out)
{
    for (; *i < spv__wallet_branch_count(client->wallet); (*i)++) {
        spv__wallet_branch(client->wallet, *i, out);
        if (spv__descriptor_is_ranged(out->descriptor))
            return true;
    }
    return false;
}

/** Let the book end where the client's windows do. */
static void open_book(const spv_client *client, genwallet *book)
{
    spv_branch branch;

    for (uint32_t b = 0; b < 2; b++)
        genwallet_set_window(book, b, UINT32_MAX);
    for (size_t i = 0; next_window(client, &i, &branch); i++)
        genwallet_set_window(book, branch.change, branch.window);
}

static const char *compare_windows(const spv_client *client, genwallet *book)
{
    spv_branch branch;

    for (size_t i = 0; next_window(client, &i, &branch); i++) {
        uint32_t least =
            genwallet_window(book, branch.change, client->profile.gap);

        if (branch.window < least)
            return differ("the window of branch %zu ends at %u, not %u", i,
                          branch.window, least);
    }
    return NULL;
}

const char *truth_differs(const spv_client *client, genwallet *book,
                          const spv_script_chain *chain)
{
    spv_coin *coins = NULL;
    spv_wallet_tx *txs = NULL;
    size_t n_coins = 0;
    size_t n_txs = 0;
    const char *why = compare_windows(client, book);

    MUST(spv_client_coins(client, &coins, &n_coins) == SPV_OK);
    MUST(spv_client_history(client, &txs, &n_txs) == SPV_OK);
    open_book(client, book);
    if (!why)
        why = compare_history(txs, n_txs, book, chain);
    if (!why)
        why = compare_coins(coins, n_coins, book, true);
    if (!why)
        why = compare_balance(client, book, spv__script_chain_tip(chain));
    free(coins);
    free(txs);
    return why;
}

const char *truth_is_broken(const spv_client *client, genwallet *book)
{
    spv_coin *coins = NULL;
    size_t n = 0;
    const char *why = NULL;

    MUST(spv_client_coins(client, &coins, &n) == SPV_OK);
    open_book(client, book);
    genwallet_mark_sure(book, client->profile.gap);
    why = compare_coins(coins, n, book, false);
    free(coins);
    return why;
}
