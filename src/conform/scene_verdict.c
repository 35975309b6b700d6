#include <stdio.h>

#include "conform/battery.h"
#include "conform/scene_parts.h"
#include "conform/words.h"

/* What is made of what each watcher has heard. */

/* ---- Lacking, and too much ---- */

bool spv__scene_lacks_any(const spv_scene *scene, const spv_watcher *w)
{
    for (size_t i = 0; i < scene->n; i++)
        if (w->wanted[i] && scene->txs[i].accepted && !w->heard[i])
            return true;
    return false;
}

/* Of strangers nothing is known, but that a silent one must not hear of them
 * either. */
static bool heard_too_much(const spv_scene *scene, const spv_watcher *w)
{
    if (w->role == SPV_ROLE_SILENT && w->strangers > 0)
        return true;
    for (size_t i = 0; i < scene->n; i++)
        if (w->heard[i] && !w->wanted[i])
            return true;
    return false;
}

/* ---- Results ---- */

/* Set the result of the checks of a role, if they were selected. */
static void tell_role(spv_conform *b, spv_role role, spv_conform_result result,
                      const char *detail)
{
    for (size_t i = 0; i < b->n_checks; i++)
        if (spv__is_of_scene(b->rows[i]) && b->rows[i]->arg == (int)role &&
            b->checks[i].result == SPV_CONFORM_PENDING)
            spv__battery_result(b, i, result, detail);
}

void spv__scene_skip_round(spv_conform *b, spv_round round, const char *why)
{
    const spv_scene_role *role = NULL;

    for (size_t i = 0; (role = spv__scene_role_at(i)); i++)
        if (role->round == round)
            tell_role(b, role->role, SPV_CONFORM_SKIPPED, why);
    if (round == SPV_ROUND_POOL)
        tell_role(b, SPV_ROLE_POOL_GETDATA, SPV_CONFORM_SKIPPED, why);
}

static void list_txids(spv_buf *out, const spv_scene *scene, const bool *which)
{
    size_t start = out->len;
    size_t n = 0;

    for (size_t i = 0; i < scene->n; i++) {
        char text[SPV__CLIPPED];

        if (!which[i] || n++ >= 6)
            continue;
        spv__words_txid(text, &scene->txs[i].txid);
        spv__words_join(out, start);
        spv__words_put(out, "%s", text);
    }
    if (n > 6)
        spv__words_put(out, " and %zu more", n - 6);
    if (n == 0)
        spv__words_put(out, "nothing");
}

static void tell_failure(spv_conform *b, const spv_watcher *w)
{
    static const char *const said[] = {
        [SPV_LOADS_NONE] = "no filter message",
        [SPV_LOADS_HALF] = "filterload with every second transaction",
        [SPV_LOADS_NOTHING] = "filterload with nothing of it",
        [SPV_CLEARS] = "filterload, filterclear"};
    const spv_scene_role *role = spv__scene_role_of(w);
    spv_buf text = SPV_BUF_EMPTY;

    spv__words_put(&text, "sent version with relay=%d, %s%s; ", role->relay,
                   said[role->habit], role->asks_pool ? ", mempool" : "");
    if (!role->asks_pool)
        spv__words_put(&text, "%zu transactions were sent from elsewhere; ",
                       b->scene.n_sent);
    spv__words_put(&text, "expected inv of ");
    list_txids(&text, &b->scene, w->wanted);
    spv__words_put(&text, "; got inv of ");
    list_txids(&text, &b->scene, w->heard);
    if (w->strangers > 0)
        spv__words_put(&text, ", and of %zu that are not known here",
                       w->strangers);
    if (w->lost)
        spv__words_put(&text, ", then the node closed the connection");
    spv__put_u8(&text, '\0');
    if (text.err == SPV_OK)
        tell_role(b, w->role, SPV_CONFORM_FAIL, (const char *)text.bytes);
    else
        spv__battery_end(b, SPV_NOMEM, NULL);
    spv__buf_clear(&text);
}

/* BIP 35: "Feature discovery is enabled by checking two "version" message
 * attributes", of which one is NODE_NETWORK. A pruned node has it not; what it
 * answers to mempool all the same is as good as any other's. */
static bool owes_mempool(const spv_conform *b)
{
    return b->node.services & SPV__NODE_NETWORK;
}

static const char no_promise[] =
    "the node does not set NODE_NETWORK, by which BIP 35 is offered, and does "
    "not do all that BIP 35 says";

size_t spv__scene_bodies(const spv_scene *scene, const spv_watcher *w,
                         spv_body fate)
{
    size_t n = 0;

    for (size_t i = 0; i < scene->n; i++)
        n += w->bodies[i] == fate;
    return n;
}

/* Some have come. Of what has left its mempool meanwhile an old node says
 * nothing: notfound is younger than BIP 35. */
static void tell_bodies(spv_conform *b, size_t came, size_t asked,
                        size_t silent)
{
    char text[160];

    (void)snprintf(
        text, sizeof(text),
        "%zu of %zu came, and of %zu nothing was said: they may have "
        "left the mempool meanwhile",
        came, asked, silent);
    tell_role(b, SPV_ROLE_POOL_GETDATA,
              silent ? SPV_CONFORM_SKIPPED : SPV_CONFORM_PASS,
              silent ? text : NULL);
}

/* BIP 35: "To support "mempool", an implementation must extend its "getdata"
 * message support to querying the memory pool." What has left it since it was
 * announced cannot be had; but not all will have. */
static void judge_bodies(spv_conform *b, const spv_watcher *w)
{
    size_t came = spv__scene_bodies(&b->scene, w, SPV_BODY_CAME);

    if (w->n_asked == 0)
        tell_role(b, SPV_ROLE_POOL_GETDATA, SPV_CONFORM_SKIPPED,
                  "the node's mempool is empty, or was not shown");
    else if (came > 0 && !w->misled)
        tell_bodies(b, came, w->n_asked,
                    spv__scene_bodies(&b->scene, w, SPV_BODY_ASKED));
    else if (!owes_mempool(b))
        tell_role(b, SPV_ROLE_POOL_GETDATA, SPV_CONFORM_SKIPPED, no_promise);
    else
        tell_role(b, SPV_ROLE_POOL_GETDATA, SPV_CONFORM_FAIL,
                  w->misled
                      ? "sent getdata for what the node announced in answer to "
                        "mempool; expected these transactions; got one that "
                        "was not asked for"
                      : "sent getdata for what the node announced in answer to "
                        "mempool; expected these transactions; got none of "
                        "them");
}

/* The node announced something in answer to mempool of which it is known from
 * elsewhere that it was there. What nobody else has heard of could be all of
 * the mempool, or a part. */
static bool shows_all(const spv_scene *scene, const spv_watcher *w)
{
    for (size_t i = 0; i < scene->n; i++)
        if (w->heard[i] && scene->txs[i].vouched)
            return true;
    return w->role != SPV_ROLE_POOL;
}

/* No BIP forbids to close a connection, and nodes do when they need room for
 * another. But who closes it when asked for the mempool has not answered. */
void spv__scene_judge(spv_conform *b, const spv_watcher *w)
{
    const spv_scene *scene = &b->scene;
    bool too_much = heard_too_much(scene, w);
    bool wrong = too_much || spv__scene_lacks_any(scene, w) || w->lost;

    if (!w->fenced || !w->acted)
        tell_role(b, w->role, SPV_CONFORM_SKIPPED,
                  "the connection for it could not be made ready");
    else if (w->lost && !too_much && !spv__scene_role_of(w)->asks_pool)
        tell_role(b, w->role, SPV_CONFORM_SKIPPED,
                  "the node closed the connection before all could be heard");
    else if (wrong && w->role == SPV_ROLE_POOL && !owes_mempool(b))
        tell_role(b, w->role, SPV_CONFORM_SKIPPED, no_promise);
    else if (wrong)
        tell_failure(b, w);
    else if (!shows_all(scene, w))
        tell_role(b, w->role, SPV_CONFORM_SKIPPED,
                  "the node announced transactions, but whether these are all "
                  "of its mempool cannot be told from outside (on regtest "
                  "--rpc has some sent that are known)");
    else
        tell_role(b, w->role, SPV_CONFORM_PASS, NULL);
    if (w->role == SPV_ROLE_POOL)
        judge_bodies(b, w);
}
