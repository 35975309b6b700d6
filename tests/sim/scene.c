#include "sim/scene.h"

#include <stdlib.h>

#include "unit/cmocka_all.h"

history history_of(const chaingen_options *o, int32_t tip)
{
    history h = {chaingen_new(o), spv__script_chain_new()};
    chaingen_block b;

    while (spv__script_chain_tip(h.chain) < tip && chaingen_next(h.maker, &b))
        spv__script_chain_add(h.chain, b.bytes, b.len);
    return h;
}

void history_withhold(history *h)
{
    int32_t tip = spv__script_chain_tip(h->chain);
    spv_script_block *b =
        (spv_script_block *)spv__script_chain_at(h->chain, tip);

    free(b->bytes);
    b->bytes = NULL;
}

void history_free(history *h)
{
    chaingen_free(h->maker);
    spv__script_chain_free(h->chain);
    *h = (history){0};
}

history usual;

int make_usual(void **state)
{
    chaingen_options o = chaingen_defaults();

    (void)state;
    usual = history_of(&o, BLOCKS);
    return 0;
}

int drop_usual(void **state)
{
    (void)state;
    history_free(&usual);
    return 0;
}

void scene_begin(scene *sc)
{
    *sc = (scene){.s = sim_new(1)};
}

void scene_adopt(scene *sc, spv_script_node *node, sim_link link)
{
    assert_true(sc->n_nodes < NODES_MAX);
    (void)sim_add_node(sc->s, node, link);
    sc->node[sc->n_nodes++] = node;
}

spv_script_node *scene_add(scene *sc, const spv_script_chain *chain,
                           int32_t tip, const char *habit, sim_link link)
{
    const spv_script_habits *habits = spv__script_habits_find(habit);
    spv_script_node *node = NULL;

    assert_non_null(habits);
    node = spv__script_node_new(chain, tip, habits, sc->n_nodes + 1);
    scene_adopt(sc, node, link);
    return node;
}

spv_script_node *scene_peer(scene *sc, const char *habit)
{
    return scene_add(sc, usual.chain, BLOCKS, habit, near_by);
}

void scene_wallet(scene *sc, bool on_disk)
{
    spv_wallet_spec spec = user_spec("wpkh", 0);

    user_begin(&sc->user, &spec, on_disk, sc->n_nodes, 1);
}

void scene_end(scene *sc)
{
    user_end(&sc->user);
    sim_free(sc->s);
    for (size_t i = 0; i < sc->n_nodes; i++)
        spv__script_node_free(sc->node[i]);
}

spv_err scene_sync(scene *sc)
{
    spv_time until = sim_now(sc->s) + LONG;
    spv_err outcome = SPV_OK;

    user_sync(&sc->user, sc->s);
    outcome = sim_run(sc->s, until);
    assert_true(sim_now(sc->s) < until);
    return outcome;
}

void assert_true_history(const scene *sc, const history *h)
{
    const char *why =
        truth_differs(sc->user.client, chaingen_wallet(h->maker), h->chain);

    if (why)
        fail_msg("%s", why);
}

void assert_synced(scene *sc, const history *h)
{
    spv_sync_report report;

    assert_int_equal(scene_sync(sc), SPV_OK);
    spv_client_report(sc->user.client, &report);
    assert_int_equal(report.phase, SPV_PHASE_SYNCED);
    assert_int_equal(report.height, spv__script_chain_tip(h->chain));
    assert_true_history(sc, h);
}

size_t heard(const scene *sc, size_t node, spv_message_kind kind)
{
    return spv__script_node_count(sc->node[node])->received[kind];
}

size_t connects(const scene *sc)
{
    return sim_count(sc->s)->connects;
}
