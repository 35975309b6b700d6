#include "unit/cmocka_all.h"

#include <string.h>

#include <spv/chain.h>
#include <spv/merkle.h>

#include "base/digest.h"
#include "client/client.h"
#include "sim/scene.h"
#include "support/must.h"

/*
 * Whom a client believes, and what it tells its user: peers that leave
 * something out, floods, rival chains, slow lines.
 */

static spv_sync_report report_of(const scene *sc)
{
    spv_sync_report report;

    spv_client_report(sc->user.client, &report);
    return report;
}

static bool knows_the_truth(const scene *sc)
{
    return !truth_differs(sc->user.client, chaingen_wallet(usual.maker),
                          usual.chain);
}

/* ---- Audits ---- */

/** Two nodes, the first quicker than the second. */
static void two_nodes(scene *sc, const char *first, const char *second,
                      double rate)
{
    scene_begin(sc);
    (void)scene_add(sc, usual.chain, BLOCKS, first, at_hand);
    (void)scene_peer(sc, second);
    scene_wallet(sc, false);
    sc->user.options.audit_rate = rate;
}

static void an_audit_finds_what_was_left_out(void **state)
{
    static const char *const habits[] = {"omit_some", "omit_all", "omit_tx"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        scene sc;

        two_nodes(&sc, habits[i], "honest", 1);
        assert_synced(&sc, &usual);
        assert_true(user_was_told(&sc.user, "left a transaction out"));
        assert_int_equal(report_of(&sc).omissions, 1);
        scene_end(&sc);
    }
}

/** Without that the same lies are believed: the test can fail. */
static void without_audits_a_liar_is_believed(void **state)
{
    scene sc;

    (void)state;
    two_nodes(&sc, "omit_some", "honest", 0);
    assert_int_equal(scene_sync(&sc), SPV_OK);
    assert_false(knows_the_truth(&sc));
    assert_int_equal(report_of(&sc).audited_blocks, 0);
    assert_int_equal(spv__script_node_count(sc.node[1])->blocks_served, 0);
    scene_end(&sc);
}

/** Two honest nodes: every block comes whole from the one that did not filter
 * it, and nobody is accused. */
static void honest_nodes_pass_every_audit(void **state)
{
    size_t whole = 0;
    scene sc;

    (void)state;
    two_nodes(&sc, "honest", "honest", 1);
    assert_synced(&sc, &usual);
    assert_int_equal(report_of(&sc).omissions, 0);
    assert_true(report_of(&sc).audited_blocks >= BLOCKS);
    for (size_t i = 0; i < 2; i++)
        whole += spv__script_node_count(sc.node[i])->blocks_served;
    assert_int_equal(whole, report_of(&sc).audited_blocks);
    assert_int_equal(sc.user.n_lines, 0);
    scene_end(&sc);
}

static void a_rate_is_a_share_of_the_blocks(void **state)
{
    scene sc;

    (void)state;
    two_nodes(&sc, "honest", "honest", 0.2);
    sim_set_link(sc.s, 0, near_by);
    assert_synced(&sc, &usual);
    assert_in_range(report_of(&sc).audited_blocks, BLOCKS / 10, BLOCKS / 3);
    scene_end(&sc);
}

/** Nobody can be framed: the block must fit its header. */
static void an_auditor_that_sends_another_block_is_at_fault(void **state)
{
    scene sc;

    (void)state;
    two_nodes(&sc, "honest", "other_whole", 1);
    assert_synced(&sc, &usual);
    assert_true(user_was_told(&sc.user, "does not fit its header"));
    assert_int_equal(report_of(&sc).omissions, 0);
    scene_end(&sc);
}

static void an_auditor_that_sends_nothing_holds_up_nobody(void **state)
{
    scene sc;

    (void)state;
    two_nodes(&sc, "honest", "no_whole", 1);
    assert_synced(&sc, &usual);
    assert_int_equal(sc.user.n_lines, 1);
    assert_true(user_was_told(&sc.user, "could not be audited"));
    assert_true(sim_now(sc.s) < 120000);
    scene_end(&sc);
}

/** Others that do are asked, however eagerly the second offers itself: whatever
 * one of them filtered the other sends whole. */
static void beside_an_auditor_that_sends_nothing_another_is_asked(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "omit_some", at_hand);
    (void)scene_peer(&sc, "no_whole");
    (void)scene_peer(&sc, "honest");
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    sc.user.options.audit_rate = 1;
    assert_synced(&sc, &usual);
    assert_true(user_was_told(&sc.user, "left a transaction out"));
    assert_true(report_of(&sc).audited_blocks >= BLOCKS);
    assert_false(user_was_told(&sc.user, "could not be audited"));
    scene_end(&sc);
}

static void with_one_node_nothing_can_be_audited_and_that_is_told(void **state)
{
    static const sim_link links[] = {{.latency = 20, .refuses = true},
                                     {.latency = 20, .black_hole = true}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        scene sc;

        scene_begin(&sc);
        (void)scene_peer(&sc, "honest");
        (void)scene_add(&sc, usual.chain, BLOCKS, "honest", links[i]);
        scene_wallet(&sc, false);
        sc.user.options.audit_rate = 1;
        assert_synced(&sc, &usual);
        assert_true(user_was_told(&sc.user, "could not be audited"));
        assert_int_equal(report_of(&sc).audited_blocks, 0);
        scene_end(&sc);
    }
}

/** What a liar served before the client was killed is looked at again as far
 * as its audits were still pending: the auditor is far away. */
static void a_kill_does_not_end_an_audit(void **state)
{
    sim_link far = {.latency = 400};

    (void)state;
    for (spv_time at = 2000; at <= 8000; at += 200) {
        scene sc;
        spv_wallet_spec spec = user_spec("wpkh", 0);

        spec.birthday = 250; /* begin shortly below the first payment */

        scene_begin(&sc);
        (void)scene_add(&sc, usual.chain, BLOCKS, "omit_some", at_hand);
        (void)scene_add(&sc, usual.chain, BLOCKS, "honest", far);
        user_begin(&sc.user, &spec, true, 2, 1);
        sc.user.options.audit_rate = 1;
        sim_kill_at(sc.s, at, user_restart, &sc.user);
        assert_synced(&sc, &usual);
        scene_end(&sc);
    }
}

/* ---- Statistics ---- */

/** With a filter that matches a tenth of all, strangers' transactions should
 * have come by the hundred. */
static void too_few_false_positives_give_a_liar_away(void **state)
{
    spv_wallet_spec spec = user_spec("wpkh", 0);
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "omit_all", at_hand);
    (void)scene_peer(&sc, "honest");
    spec.fp_rate = 0.1;
    user_begin(&sc.user, &spec, false, 2, 1);
    assert_synced(&sc, &usual);
    assert_true(user_was_told(&sc.user, "it leaves transactions out"));
    scene_end(&sc);
}

static void the_only_node_is_suspected_and_kept(void **state)
{
    spv_wallet_spec spec = user_spec("wpkh", 0);
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_peer(&sc, "omit_all");
    spec.fp_rate = 0.1;
    user_begin(&sc.user, &spec, false, 1, 1);
    assert_int_equal(scene_sync(&sc), SPV_OK);
    assert_int_equal(sc.user.n_lines, 1);
    assert_true(user_was_told(&sc.user, "may leave transactions out"));
    scene_end(&sc);
}

/* ---- Budgets ---- */

/** Two blocks of two thousand transactions each. */
static void s07_two_thousand(void **state)
{
    chaingen_options o = chaingen_defaults();
    spv_wallet_spec spec = user_spec("wpkh", 0);
    history h;
    scene sc;

    (void)state;
    o.blocks = 104;
    o.txs = 8000; /* of strangers, who trade in the last blocks */
    o.wallet_txs = 1;
    o.wallet_blocks = 1;
    h = history_of(&o, o.blocks);
    scene_begin(&sc);
    (void)scene_add(&sc, h.chain, o.blocks, "match_everything", at_hand);
    (void)scene_add(&sc, h.chain, o.blocks, "honest", near_by);
    spec.birthday = 104; /* blocks begin with these, and not below */
    user_begin(&sc.user, &spec, false, 2, 1);
    assert_synced(&sc, &h);
    assert_true(user_was_told(&sc.user, "does not match the filter"));
    assert_true(report_of(&sc).peers[0].bytes_received < 200000);
    assert_int_equal(report_of(&sc).peers[0].blocks, 0);
    scene_end(&sc);
    history_free(&h);
}

/** What one peer proves in vain changes no number of the client's. */
static void s08_rate(void **state)
{
    uint32_t false_positives[2];
    double expected[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        scene sc;

        scene_begin(&sc);
        (void)scene_add(&sc, usual.chain, BLOCKS, i ? "extra_tx" : "honest",
                        i ? at_hand : nobody);
        (void)scene_peer(&sc, "honest");
        scene_wallet(&sc, false);
        assert_synced(&sc, &usual);
        false_positives[i] = report_of(&sc).false_positives;
        expected[i] = report_of(&sc).expected_false_positives;
        scene_end(&sc);
    }
    assert_int_equal(false_positives[0], false_positives[1]);
    assert_true(expected[0] == expected[1]);
}

static void s25_orphans(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "orphan_flood", at_hand);
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    assert_true(user_was_told(&sc.user, "was not asked for"));
    assert_int_equal(report_of(&sc).peers[0].blocks, 0);
    assert_int_equal(spv__script_node_count(sc.node[0])->sessions, 1);
    scene_end(&sc);
}

static void s32(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "header_flood", at_hand);
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    assert_true(user_was_told(&sc.user, "headers without end"));
    assert_int_equal(spv__script_node_count(sc.node[0])->sessions, 1);
    assert_true(spv__tree_bytes(sc.user.client->tree) < 10000000);
    scene_end(&sc);
}

/** Junk every five seconds, never an end of it, never an answer. */
static void s33_babble(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "babbles",
                    (sim_link){.latency = 1, .rate = 3100, .split = true});
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), SPV_TIMEOUT);
    assert_true(user_was_told(&sc.user, "does not answer in time"));
    assert_true(sim_now(sc.s) < 10 * SPV__STREAM_STALL_MS);
    scene_end(&sc);
}

/* ---- Slow lines ---- */

static void s34(void **state)
{
    sim_link slow = {.latency = 100, .rate = 500, .split = true};
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, 130, "honest", slow);
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), SPV_OK);
    assert_int_equal(connects(&sc), 1);
    assert_int_equal(sc.user.n_lines, 1);
    assert_true(user_was_told(&sc.user, "5.0.0.1:18444 answers slowly"));
    scene_end(&sc);
}

/** Beside a quick one nobody minds. */
static void s34_not_alone(void **state)
{
    sim_link slow = {.latency = 100, .rate = 500, .split = true};
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "honest", slow);
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    assert_int_equal(sc.user.n_lines, 0);
    scene_end(&sc);
}

/* ---- Rival chains ---- */

/** Chains that part ways below their tips, the first one longer by `more`. */
static void two_tips(int32_t fork_at, int32_t more, bool told)
{
    chaingen_options o = chaingen_defaults();
    history other;
    scene sc;

    o.fork_at = fork_at;
    o.fork_seed = 9;
    other = history_of(&o, BLOCKS - more);
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "honest", at_hand);
    (void)scene_add(&sc, other.chain, BLOCKS - more, "honest", near_by);
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), SPV_OK);
    assert_int_equal(user_was_told(&sc.user, "has another chain of like work"),
                     told);
    scene_end(&sc);
    history_free(&other);
}

static void s31_like_work(void **state)
{
    (void)state;
    two_tips(BLOCKS, 0, true);
    two_tips(290, 0, true);
    two_tips(290, 1, true);
    two_tips(290, 5, false); /* it has simply lost */
}

/* ---- A tip whose block nobody has ---- */

/** The chain up to its tip, whose block is withheld; the first node shows it,
 * two others have it up to the height `behind`. */
static void withheld_tip(scene *sc, const history *false_one, int32_t tip,
                         int32_t behind)
{
    scene_begin(sc);
    (void)scene_add(sc, false_one->chain, tip, "honest", at_hand);
    for (int i = 0; i < 2; i++)
        (void)scene_add(sc, usual.chain, behind, "honest", near_by);
    scene_wallet(sc, false);
}

/** It has more work, so this is not called synced: but all that there is was
 * looked at, and soon. */
static void a_heavier_tip_that_nobody_has_is_told(void **state)
{
    chaingen_options o = chaingen_defaults();
    history served = history_of(&o, BLOCKS - 1);
    history withheld = history_of(&o, BLOCKS);
    spv_trouble trouble;
    scene sc;

    (void)state;
    history_withhold(&withheld);
    withheld_tip(&sc, &withheld, BLOCKS, BLOCKS - 1);
    assert_int_equal(scene_sync(&sc), SPV_TIMEOUT);
    spv_client_trouble(sc.user.client, &trouble);
    assert_non_null(strstr(trouble.text, "a chain of more work"));
    assert_non_null(strstr(trouble.text, "as of height 299"));
    assert_int_equal(report_of(&sc).height, BLOCKS - 1);
    assert_true_history(&sc, &served);
    assert_true(sim_now(sc.s) < 10000);
    scene_end(&sc);
    history_free(&served);
    history_free(&withheld);
}

/** As much work as the chain that is served, and it came first: wherever they
 * part ways. */
static void a_tip_of_like_work_that_nobody_has_gives_way(void **state)
{
    static const int32_t forks[] = {BLOCKS, BLOCKS - 20};
    chaingen_options o = chaingen_defaults();

    (void)state;
    o.fork_seed = 9;
    for (size_t i = 0; i < 2; i++) {
        history withheld;
        scene sc;

        o.fork_at = forks[i];
        withheld = history_of(&o, BLOCKS);
        history_withhold(&withheld);
        withheld_tip(&sc, &withheld, BLOCKS, BLOCKS);
        assert_synced(&sc, &usual);
        assert_true(user_was_told(&sc.user, "none sends its blocks"));
        assert_true(sim_now(sc.s) < 10000);
        scene_end(&sc);
        history_free(&withheld);
    }
}

/* Guards a mended bug: whoever showed an old header and then the tip that
 * nobody has was taken for having caught up each time, and what it had refused
 * was forgiven without end. */
static void a_peer_in_two_minds_is_left(void **state)
{
    static const spv_script_habits wavers = {.wavers = true};
    chaingen_options o = chaingen_defaults();
    history served = history_of(&o, BLOCKS - 1);
    history withheld = history_of(&o, BLOCKS);
    scene sc;

    (void)state;
    history_withhold(&withheld);
    scene_begin(&sc);
    scene_adopt(&sc, spv__script_node_new(withheld.chain, BLOCKS, &wavers, 1),
                at_hand);
    (void)scene_add(&sc, usual.chain, BLOCKS - 1, "honest", near_by);
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), SPV_TIMEOUT);
    assert_true_history(&sc, &served);
    assert_true(sim_now(sc.s) < 30000);
    scene_end(&sc);
    history_free(&served);
    history_free(&withheld);
}

/** Two of them, and a block of the chain that is served beside them. */
static void tips_that_nobody_has_give_way_one_after_the_other(void **state)
{
    chaingen_options o = chaingen_defaults();
    history withheld[2];
    scene sc;

    (void)state;
    scene_begin(&sc);
    for (size_t i = 0; i < 2; i++) {
        o.fork_at = BLOCKS;
        o.fork_seed = 9 + i;
        withheld[i] = history_of(&o, BLOCKS);
        history_withhold(&withheld[i]);
        (void)scene_add(&sc, withheld[i].chain, BLOCKS, "honest", at_hand);
    }
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    scene_end(&sc);
    history_free(&withheld[0]);
    history_free(&withheld[1]);
}

/** One that has it is enough, however many have not. */
static void a_block_that_one_node_has_is_not_given_up(void **state)
{
    scene sc;

    (void)state;
    withheld_tip(&sc, &usual, BLOCKS, BLOCKS - 1);
    sim_set_link(sc.s, 0, (sim_link){.latency = 400});
    assert_synced(&sc, &usual);
    assert_int_equal(sc.user.n_lines, 0);
    scene_end(&sc);
}

/* ---- More work, and like work ---- */

/** Regtest with the difficulty rules of testnet3: a block is as hard as those
 * before it, unless it comes late. */
static spv_network uneven(void)
{
    spv_network n = *spv_network_get(SPV_REGTEST);

    n.no_retarget = false;
    n.min_difficulty = true;
    return n;
}

/** A block with a coinbase and perhaps one more, `gap` seconds after its
 * parent. */
static void mine_with(spv_script_chain *c, const spv_network *network,
                      uint32_t bits, uint32_t gap, uint32_t side,
                      const spv_buf *more)
{
    const spv_script_block *parent =
        spv__script_chain_at(c, spv__script_chain_tip(c));
    spv_buf tx = SPV_BUF_EMPTY;
    spv_buf block = SPV_BUF_EMPTY;
    uint8_t header[SPV_HEADER_LEN];
    spv_header before;
    spv_header h;
    spv_hash txids[2];
    spv_hash hash;

    spv__put_u32(&tx, 1);
    spv__put_compact(&tx, 1);
    for (int i = 0; i < 8; i++)
        spv__put_u32(&tx, 0);
    spv__put_u32(&tx, 0xffffffff);
    spv__put_compact(&tx, 4);
    spv__put_u32(&tx, (uint32_t)parent->height);
    spv__put_u32(&tx, side);
    spv__put_compact(&tx, 1);
    spv__put_u64(&tx, 50);
    spv__put_compact(&tx, 1);
    spv__put_u8(&tx, 0x51);
    spv__put_u32(&tx, 0);
    spv_header_decode(&before, parent->header);
    h = (spv_header){.version = 4,
                     .prev = parent->hash,
                     .time = before.time + gap,
                     .bits = bits};
    spv__sha256d(&txids[0], tx.bytes, tx.len);
    if (more)
        spv__sha256d(&txids[1], more->bytes, more->len);
    MUST(spv_merkle_root(&h.merkle_root, txids, more ? 2 : 1) == SPV_OK);
    do {
        h.nonce++;
        spv_header_encode(header, &h);
        spv_header_hash(&hash, header);
    } while (!spv_pow_check(&hash, bits, network));
    spv__put_bytes(&block, header, sizeof(header));
    spv__put_compact(&block, more ? 2 : 1);
    spv__put_bytes(&block, tx.bytes, tx.len);
    if (more)
        spv__put_bytes(&block, more->bytes, more->len);
    MUST(block.err == SPV_OK);
    spv__script_chain_add(c, block.bytes, block.len);
    spv__buf_clear(&tx);
    spv__buf_clear(&block);
}

/** One with nothing but a coinbase. */
static void mine(spv_script_chain *c, const spv_network *network, uint32_t bits,
                 uint32_t gap, uint32_t side)
{
    mine_with(c, network, bits, gap, side, NULL);
}

enum { EASY = 0x207fffff, HARD = 0x201fffff, BASE = 200, LATE = 1201 };

/** Up to a hard block, where the wallet's headers begin. */
static spv_script_chain *mine_base(const spv_network *network)
{
    spv_script_chain *c = spv__script_chain_new();

    while (spv__script_chain_tip(c) < BASE - 1)
        mine(c, network, EASY, 1, 0);
    mine(c, network, HARD, 1, 0);
    return c;
}

static void wallet_from_base(scene *sc, const spv_network *network,
                             const spv_script_chain *chain)
{
    const spv_script_block *b = spv__script_chain_at(chain, BASE);
    spv_checkpoint base = {.height = BASE, .work = {0, 8}};
    spv_tree_config config = {.network = network, .base = &base};
    spv_client *c = NULL;

    memcpy(base.header, b->header, sizeof(base.header));
    scene_wallet(sc, false);
    c = sc->user.client;
    c->network = network;
    spv__tree_free(c->tree);
    assert_int_equal(spv__tree_new(&c->tree, &config), SPV_OK);
}

static uint32_t time_of(const spv_script_block *b)
{
    spv_header h;

    spv_header_decode(&h, b->header);
    return h.time;
}

/** The peer with the easy ones is the first to be heard, and claims more. */
static void s28(void **state)
{
    spv_network network = uneven();
    spv_script_chain *easy = mine_base(&network);
    spv_script_chain *hard = mine_base(&network);
    spv_wallet_info info;
    scene sc;

    (void)state;
    for (int i = 0; i < 20; i++)
        mine(easy, &network, EASY, LATE, 1);
    for (int i = 0; i < 12; i++)
        mine(hard, &network, HARD, 1, 2);
    scene_begin(&sc);
    (void)scene_add(&sc, easy, BASE + 20, "honest", at_hand);
    (void)scene_add(&sc, hard, BASE + 12, "honest", near_by);
    wallet_from_base(&sc, &network, hard);
    sc.user.options.unix_time = time_of(spv__script_chain_at(easy, BASE + 20));
    assert_int_equal(scene_sync(&sc), SPV_OK);
    spv_client_info(sc.user.client, &info);
    assert_int_equal(info.synced_height, BASE + 12);
    assert_true(spv_hash_equal(&info.synced_hash,
                               &spv__script_chain_at(hard, BASE + 12)->hash));
    scene_end(&sc);
    spv__script_chain_free(easy);
    spv__script_chain_free(hard);
}

/** A transaction of 64 bytes. */
static spv_buf tx_of_64(void)
{
    spv_buf tx = SPV_BUF_EMPTY;

    spv__put_u32(&tx, 1);
    spv__put_compact(&tx, 1);
    for (int i = 0; i < 9; i++)
        spv__put_u32(&tx, 7); /* what it spends */
    spv__put_compact(&tx, 0);
    spv__put_u32(&tx, 0xffffffff);
    spv__put_compact(&tx, 1);
    spv__put_u64(&tx, 50);
    spv__put_compact(&tx, 4);
    spv__put_u32(&tx, 0x51515151);
    spv__put_u32(&tx, 0);
    MUST(tx.err == SPV_OK && tx.len == 64);
    return tx;
}

/** It proves nothing, and is nobody's fault. */
static void a_block_with_a_transaction_of_64_bytes_accuses_nobody(void **state)
{
    spv_network network = uneven();
    spv_script_chain *chain = mine_base(&network);
    spv_buf tx = tx_of_64();
    scene sc;

    (void)state;
    mine_with(chain, &network, EASY, LATE, 0, &tx);
    mine(chain, &network, EASY, LATE, 0);
    scene_begin(&sc);
    for (int i = 0; i < 2; i++)
        (void)scene_add(&sc, chain, BASE + 2, "honest", near_by);
    wallet_from_base(&sc, &network, chain);
    sc.user.options.unix_time = time_of(spv__script_chain_at(chain, BASE + 2));
    sc.user.options.audit_rate = 1;
    assert_int_equal(scene_sync(&sc), SPV_OK);
    assert_true(user_was_told(&sc.user, "transactions of 64 bytes"));
    assert_int_equal(sc.user.n_lines, 1);
    assert_int_equal(report_of(&sc).audited_blocks, 1);
    scene_end(&sc);
    spv__buf_clear(&tx);
    spv__script_chain_free(chain);
}

static void a_tip_that_is_old_is_told(void **state)
{
    static const int64_t ages[] = {SPV__STALE_S - 60, SPV__STALE_S + 60};
    spv_network network = uneven();
    spv_script_chain *chain = mine_base(&network);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        scene sc;

        scene_begin(&sc);
        (void)scene_add(&sc, chain, BASE, "honest", near_by);
        wallet_from_base(&sc, &network, chain);
        sc.user.options.unix_time =
            (int64_t)time_of(spv__script_chain_at(chain, BASE)) + ages[i];
        assert_int_equal(scene_sync(&sc), SPV_OK);
        assert_int_equal(sc.user.n_lines, i);
        assert_int_equal(user_was_told(&sc.user, "three hours old"), i == 1);
        scene_end(&sc);
    }
    spv__script_chain_free(chain);
}

/* ---- The table ---- */

static const struct CMUnitTest scenes[] = {
    cmocka_unit_test(an_audit_finds_what_was_left_out),
    cmocka_unit_test(without_audits_a_liar_is_believed),
    cmocka_unit_test(honest_nodes_pass_every_audit),
    cmocka_unit_test(a_rate_is_a_share_of_the_blocks),
    cmocka_unit_test(an_auditor_that_sends_another_block_is_at_fault),
    cmocka_unit_test(an_auditor_that_sends_nothing_holds_up_nobody),
    cmocka_unit_test(beside_an_auditor_that_sends_nothing_another_is_asked),
    cmocka_unit_test(a_block_with_a_transaction_of_64_bytes_accuses_nobody),
    cmocka_unit_test(with_one_node_nothing_can_be_audited_and_that_is_told),
    cmocka_unit_test(a_kill_does_not_end_an_audit),
    cmocka_unit_test(too_few_false_positives_give_a_liar_away),
    cmocka_unit_test(the_only_node_is_suspected_and_kept),
    {.name = "S07 2,000 of 2,000 transactions cost no more than one",
     .test_func = s07_two_thousand},
    {.name = "S08 what is proved in vain changes no rate",
     .test_func = s08_rate},
    {.name = "S25 a flood of filtered blocks of no chain ends with the first",
     .test_func = s25_orphans},
    {.name = "S28 twenty easy headers lose against twelve hard ones",
     .test_func = s28},
    {.name = "S31 two chains of like work: the user is told",
     .test_func = s31_like_work},
    cmocka_unit_test(a_heavier_tip_that_nobody_has_is_told),
    cmocka_unit_test(a_tip_of_like_work_that_nobody_has_gives_way),
    cmocka_unit_test(a_peer_in_two_minds_is_left),
    cmocka_unit_test(tips_that_nobody_has_give_way_one_after_the_other),
    cmocka_unit_test(a_block_that_one_node_has_is_not_given_up),
    {.name = "S32 headers without end are not listened to for ever",
     .test_func = s32},
    {.name = "S33 a peer that babbles instead of answering is left",
     .test_func = s33_babble},
    {.name = "S34 the only peer is slow: it is kept, and the user told once",
     .test_func = s34},
    {.name = "S34 a slow peer beside a quick one is nobody's concern",
     .test_func = s34_not_alone},
    cmocka_unit_test(a_tip_that_is_old_is_told),
};

int main(void)
{
    return cmocka_run_group_tests_name("sim.scenarios_trust", scenes,
                                       make_usual, drop_usual);
}
