#include <stdio.h>

#include "wallet_world.h"

/*
 * Stories told in one line: "~X" a transaction is seen outside blocks, "@X1"
 * peer 1 announced it, "+X5" the block at height 5 has it, "-5" that block is
 * undone, "!X" it is given up. What is true at the end: each one's state by its
 * first letter (x for conflicted), and the balance.
 */
enum {
    P, /* pays us 10,000 */
    A, /* spends P; 6,000 come back */
    B, /* spends P; nothing comes back */
    C, /* spends what came back from A; 3,500 come back */
    F, /* pays us 5,000, from a stranger's coin */
    G, /* pays us 4,000, from the same stranger's coin */
    H, /* spends that coin too, and pays us nothing */
    K, /* a coinbase: pays us 50,000 */
    L, /* spends K; 49,000 come back */
    CAST
};

static const char names[] = "PABCFGHKL";

static void write_cast(paper cast[CAST], const spv_wallet *w)
{
    for (uint32_t i = 0; i < CAST; i++)
        cast[i].nonce = i;
    paper_spend(&cast[P], stranger_coin(1));
    paper_pay_to(&cast[P], w, 0, 0, 10000);
    paper_seal(&cast[P]);
    paper_spend(&cast[A], paper_out(&cast[P], 0));
    paper_pay_stranger(&cast[A], 1, 3000);
    paper_pay_to(&cast[A], w, 1, 0, 6000);
    paper_seal(&cast[A]);
    paper_spend(&cast[B], paper_out(&cast[P], 0));
    paper_pay_stranger(&cast[B], 2, 9000);
    paper_seal(&cast[B]);
    paper_spend(&cast[C], paper_out(&cast[A], 1));
    paper_pay_stranger(&cast[C], 3, 2000);
    paper_pay_to(&cast[C], w, 1, 1, 3500);
    paper_seal(&cast[C]);
    for (uint32_t i = F; i <= H; i++)
        paper_spend(&cast[i], stranger_coin(2));
    paper_pay_to(&cast[F], w, 0, 1, 5000);
    paper_seal(&cast[F]);
    paper_pay_to(&cast[G], w, 0, 1, 4000);
    paper_seal(&cast[G]);
    paper_pay_stranger(&cast[H], 4, 1);
    paper_seal(&cast[H]);
    paper_pay_to(&cast[K], w, 0, 2, 50000);
    paper_seal(&cast[K]);
    paper_spend(&cast[L], paper_out(&cast[K], 0));
    paper_pay_to(&cast[L], w, 1, 2, 49000);
    paper_seal(&cast[L]);
}

static void tell_one(spv_wallet *w, const paper cast[CAST], const char *word)
{
    const char *who = word[0] == '-' ? NULL : strchr(names, word[1]);
    const spv_tx *tx = who ? &cast[who - names].tx : NULL;
    bool kept = false;

    switch (word[0]) {
    case '~':
        assert_int_equal(spv__wallet_add_unconfirmed(w, tx, 100, &kept),
                         SPV_OK);
        return;
    case '@':
        spv__wallet_announced(w, &tx->txid, (unsigned)(word[2] - '0'));
        return;
    case '+':
        world_apply(w, word[2] - '0', tx);
        return;
    case '-':
        assert_int_equal(spv__wallet_undo(w, word[1] - '0'), SPV_OK);
        return;
    case '!':
        assert_int_equal(spv__wallet_abandon(w, &tx->txid), SPV_OK);
        return;
    default:
        fail_msg("no such word: %s", word);
    }
}

static void tell(spv_wallet *w, const paper cast[CAST], const char *story)
{
    char word[8];
    int length = 0;

    for (; sscanf(story, "%7s%n", word, &length) == 1; story += length)
        tell_one(w, cast, word);
}

static char letter_of(const spv_wallet *w, const paper *p)
{
    spv_wallet_tx tx;

    if (spv__wallet_tx(w, &p->tx.txid, &tx) != SPV_OK)
        return '.';
    if (tx.state == SPV_TX_CONFLICTED)
        return 'x';
    return spv_tx_state_name(tx.state)[0];
}

static void transactions_stand_where_the_story_leaves_them(void **state)
{
    static const struct {
        const char *story;
        const char *states; /* in the order of `names`; '.': not kept */
        int64_t confirmed;
        int64_t unconfirmed;
    } cases[] = {
        {"~P", "u........", 0, 10000},
        {"+P1", "c........", 10000, 0},
        {"~P +P1 ~P +P1", "c........", 10000, 0},
        {"+P1 ~A", "cu.......", 10000, -4000},
        {"~P ~A", "uu.......", 0, 6000},
        {"+P1 ~A ~C", "cu.u.....", 10000, -6500},
        {"+P1 +A2", "cc.......", 6000, 0},
        {"+A2 +P1", "cc.......", 6000, 0},
        {"+C3 +A2 +P1", "cc.c.....", 3500, 0},
        /* replaced outside blocks, then mined */
        {"+P1 ~A ~B", "cru......", 10000, -10000},
        {"+P1 ~A ~B +B2", "crc......", 0, 0},
        {"+P1 ~A ~B +A2", "ccx......", 6000, 0},
        {"+P1 ~A ~C ~B", "crur.....", 10000, -10000},
        {"+P1 ~A ~C ~B +A2", "ccxu.....", 6000, -2500},
        /* an old announcement changes nothing, unless nothing is in its way */
        {"+P1 ~A ~B ~A", "cru......", 10000, -10000},
        {"+P1 ~A ~B !B ~A", "cua......", 10000, -4000},
        /* one liar's rival does not outweigh what two peers announced, */
        {"+P1 ~A @A1 @A2 ~B @B3", "cur......", 10000, -4000},
        {"+P1 ~A @A1 @A2 ~C @C1 ~B @B3 ~B @B3", "curu.....", 10000, -6500},
        /* but a real replacement is announced by all of them, */
        {"+P1 ~A @A1 @A2 ~B @B1 ~B @B2", "cru......", 10000, -10000},
        {"+P1 ~A @A1 @A2 ~C @C1 ~B @B1 @B2", "crur.....", 10000, -10000},
        {"+P1 ~A @A1 ~B @B1", "cru......", 10000, -10000},
        /* and what more of them announce comes back, with what spends it */
        {"+P1 ~A @A1 ~C @C1 ~B @B2 @A2", "curu.....", 10000, -6500},
        {"+P1 ~A @A1 ~B @B2 @A1", "cru......", 10000, -10000},
        {"+P1 ~A @A1 @A2 ~B @B3 +B2", "cxc......", 0, 0},
        {"+P1 ~B +A2 @B1 @B2", "ccx......", 6000, 0},
        /* a block decides */
        {"+P1 ~A +B2", "cxc......", 0, 0},
        {"+P1 ~A ~C +B2", "cxcx.....", 0, 0},
        {"+P1 ~B +A2 ~C", "ccxu.....", 6000, -2500},
        {"+P1 +B2 ~A", "cxc......", 0, 0},
        {"+P1 +B2 ~A ~C", "cxcx.....", 0, 0},
        /* strangers' rivals */
        {"~F ~G", "....ru...", 0, 4000},
        {"~F ~G +G2", "....rc...", 4000, 0},
        {"~F +H2", "....x.c..", 0, 0},
        {"~F ~H", "....r.u..", 0, 0},
        {"~H +H2", ".........", 0, 0},
        /* given up */
        {"+P1 ~A !A", "ca.......", 10000, 0},
        {"+P1 ~A ~C !A", "ca.a.....", 10000, 0},
        {"+P1 ~A !A ~B", "cau......", 10000, -10000},
        {"+P1 ~A !A +A2", "cc.......", 6000, 0},
        {"+P1 ~A !A +B2", "cac......", 0, 0},
        /* reorganisations */
        {"+P1 +A2 -2", "cu.......", 10000, -4000},
        {"+P1 +A2 -2 -1", "uu.......", 0, 6000},
        {"+P1 +A2 -2 +A3", "cc.......", 6000, 0},
        {"+P1 +A2 -2 +B2", "cxc......", 0, 0},
        {"+P1 +A2 -2 +B2 -2 +A2", "ccx......", 6000, 0},
        {"+P1 +A2 +C3 -3 -2 +B2", "cxcx.....", 0, 0},
        {"+P1 +A2 +C3 -3 -2 +B2 -2 +A2 +C3", "ccxc.....", 3500, 0},
        {"+P1 +A2 +B3", "cxc......", 0, 0},
        /* a coinbase lives and dies with its block */
        {"+K1", ".......c.", 50000, 0},
        {"~K", ".........", 0, 0},
        {"+K1 -1", ".......x.", 0, 0},
        {"+K1 +L2 -2 -1", ".......xx", 0, 0},
        {"+K1 +L2 -1 -2", ".......xx", 0, 0},
        {"+K1 ~L -1", ".......xx", 0, 0},
        {"+K1 ~L -1 +K1", ".......cu", 50000, -1000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_wallet *w = world_open(20, 10);
        paper cast[CAST] = {0};
        char got[CAST + 1] = {0};
        spv_balance balance;

        write_cast(cast, w);
        tell(w, cast, cases[i].story);
        for (size_t k = 0; k < CAST; k++)
            got[k] = letter_of(w, &cast[k]);
        if (strcmp(got, cases[i].states) != 0)
            fail_msg("\"%s\": %s, should be %s", cases[i].story, got,
                     cases[i].states);
        balance = world_balance(w, 1000);
        if (balance.confirmed != cases[i].confirmed ||
            balance.unconfirmed != cases[i].unconfirmed)
            fail_msg("\"%s\": %lld confirmed, %lld unconfirmed", cases[i].story,
                     (long long)balance.confirmed,
                     (long long)balance.unconfirmed);
        for (size_t k = 0; k < CAST; k++)
            paper_clear(&cast[k]);
        spv__wallet_free(w);
    }
}

static void only_what_is_unconfirmed_can_be_given_up(void **state)
{
    spv_wallet *w = world_open(20, 10);
    paper cast[CAST] = {0};

    (void)state;
    write_cast(cast, w);
    assert_int_equal(spv__wallet_abandon(w, &cast[P].tx.txid), SPV_NOT_FOUND);
    tell(w, cast, "+P1 ~A !A");
    assert_int_equal(spv__wallet_abandon(w, &cast[P].tx.txid), SPV_INVAL);
    assert_int_equal(spv__wallet_abandon(w, &cast[A].tx.txid), SPV_INVAL);
    for (size_t k = 0; k < CAST; k++)
        paper_clear(&cast[k]);
    spv__wallet_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transactions_stand_where_the_story_leaves_them),
        cmocka_unit_test(only_what_is_unconfirmed_can_be_given_up),
    };

    return cmocka_run_group_tests_name("wallet.standing", tests, NULL, NULL);
}
