#include "chain/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "chain/index.h"
#include "chain/row.h"
#include "chain/rules.h"

/** A header beside the active chain. Its parent is found by hash. */
typedef struct side {
    spv_node node;
    spv_hash prev;
    int32_t height;
    bool aside; /* it was set aside, or is on top of what was */
    spv_u256 work;
} side;

struct spv_header_tree {
    const spv_network *network;
    spv_checkpoint_list checkpoints; /* none where work alone is believed */
    int32_t base;                    /* height of the row's first node */
    spv_hash base_prev;              /* parent of the first node: not here */
    spv_row row;                     /* the active chain */
    side *sides; /* everything else, parents before what is on top of them */
    size_t n_sides;
    size_t cap_sides;
    size_t side_max;
    spv_index index; /* place p >= 0: row node p; p < 0: side ~p */
    spv_hash *left;  /* the last change's disconnected blocks */
    size_t cap_left;
};

/* Places ------------------------------------------------------------------ */

static bool in_row(int32_t place)
{
    return place >= 0;
}

static const side *side_at(const spv_header_tree *tree, int32_t place)
{
    return &tree->sides[~place];
}

static const spv_node *node_at(const spv_header_tree *tree, int32_t place)
{
    return in_row(place) ? spv__row_get(&tree->row, (size_t)place)
                         : &side_at(tree, place)->node;
}

static const spv_hash *hash_at(const void *tree, int32_t place)
{
    return &node_at(tree, place)->hash;
}

static int32_t height_at(const spv_header_tree *tree, int32_t place)
{
    return in_row(place) ? tree->base + place : side_at(tree, place)->height;
}

static int32_t tip_place(const spv_header_tree *tree)
{
    return (int32_t)tree->row.n - 1;
}

static int32_t tip_height(const spv_header_tree *tree)
{
    return tree->base + tip_place(tree);
}

static const spv_hash *prev_at(const spv_header_tree *tree, int32_t place)
{
    if (!in_row(place))
        return &side_at(tree, place)->prev;
    return place == 0 ? &tree->base_prev : hash_at(tree, place - 1);
}

/** Where the parent is; every node but the base has one here. */
static int32_t parent_of(const spv_header_tree *tree, int32_t place)
{
    return in_row(place) ? place - 1
                         : spv__index_find(&tree->index, prev_at(tree, place));
}

/** The ancestor at `height`, or the row's block there once the walk down has
 * reached the row. */
static int32_t ancestor_of(const spv_header_tree *tree, int32_t place,
                           int32_t height)
{
    while (!in_row(place) && height_at(tree, place) > height)
        place = parent_of(tree, place);
    return in_row(place) ? height - tree->base : place;
}

static spv_u256 work_at(spv_header_tree *tree, int32_t place)
{
    return in_row(place) ? spv__row_work(&tree->row, (size_t)place)
                         : side_at(tree, place)->work;
}

/* Life -------------------------------------------------------------------- */

static spv_node node_of(const spv_header *h, const spv_hash *hash)
{
    return (spv_node){.hash = *hash,
                      .merkle_root = h->merkle_root,
                      .version = h->version,
                      .time = h->time,
                      .bits = h->bits,
                      .nonce = h->nonce};
}

static spv_u256 work_of_bytes(const uint8_t work[16])
{
    spv_hash wide = {{0}};

    memcpy(wide.bytes, work, 16);
    return spv__u256_of_hash(&wide);
}

/** The first node; its own work is added to what came before it. */
static spv_err begin(spv_header_tree *tree, const spv_checkpoint *base)
{
    const uint8_t *bytes = base ? base->header : tree->network->genesis;
    spv_header h;
    spv_hash hash;
    spv_node node;

    spv_header_decode(&h, bytes);
    spv_header_hash(&hash, bytes);
    if (!spv_pow_check(&hash, h.bits, tree->network))
        return SPV_INVAL;
    if (spv__row_reserve(&tree->row, 1) || spv__index_reserve(&tree->index, 1))
        return SPV_NOMEM;
    node = node_of(&h, &hash);
    tree->base_prev = h.prev;
    if (base) {
        tree->base = base->height;
        tree->row.work = spv__u256_sub(work_of_bytes(base->work),
                                       spv__row_work_of(&tree->row, h.bits));
    }
    spv__row_push(&tree->row, &node);
    spv__index_add(&tree->index, 0);
    return SPV_OK;
}

spv_err spv__tree_new(spv_header_tree **out, const spv_tree_config *config)
{
    spv_header_tree *tree = calloc(1, sizeof(*tree));
    spv_err err = SPV_NOMEM;

    *out = NULL;
    if (!tree)
        return SPV_NOMEM;
    tree->network = config->network;
    if (!config->no_checkpoints)
        tree->checkpoints = config->checkpoints
                                ? *config->checkpoints
                                : spv__checkpoint_lists[config->network->chain];
    tree->side_max = config->side_max ? config->side_max : SPV__TREE_SIDE_MAX;
    tree->index.hash_of = hash_at;
    tree->index.owner = tree;
    err = begin(tree, config->base);
    if (err)
        spv__tree_free(tree);
    else
        *out = tree;
    return err;
}

void spv__tree_free(spv_header_tree *tree)
{
    if (!tree)
        return;
    spv__row_clear(&tree->row);
    spv__index_clear(&tree->index);
    free(tree->sides);
    free(tree->left);
    free(tree);
}

/* Rules ------------------------------------------------------------------- */

/** A branch as the rules look back on it: mostly downwards, step by step. */
typedef struct branch {
    const spv_header_tree *tree;
    int32_t parent; /* place */
    int32_t at;     /* place of the last look */
} branch;

static spv_stamp look_back(void *self, int32_t height)
{
    branch *b = self;
    const spv_node *node = NULL;

    if (in_row(b->parent) || height > height_at(b->tree, b->at))
        b->at = b->parent;
    b->at = ancestor_of(b->tree, b->at, height);
    node = node_at(b->tree, b->at);
    return (spv_stamp){.time = node->time, .bits = node->bits};
}

static spv_verdict check_rules(const spv_header_tree *tree, int32_t parent,
                               const spv_header *h, int64_t now)
{
    branch b = {.tree = tree, .parent = parent, .at = parent};
    spv_past past = {.parent = height_at(tree, parent),
                     .base = tree->base,
                     .get = look_back,
                     .self = &b};

    return spv__rules_check(tree->network, &past, h, now);
}

/** A header where a checkpoint stands must be it; and no branch may leave the
 * active chain below one that is in it. */
static bool breaks_checkpoint(const spv_header_tree *tree, int32_t parent,
                              const uint8_t header[SPV_HEADER_LEN])
{
    int32_t height = height_at(tree, parent) + 1;
    const spv_checkpoint *c = NULL;

    if (parent != tip_place(tree)) {
        c = spv__checkpoint_find(&tree->checkpoints, tip_height(tree));
        if (c && height <= c->height)
            return true;
    }
    c = spv__checkpoint_find(&tree->checkpoints, height);
    return c && c->height == height &&
           memcmp(c->header, header, SPV_HEADER_LEN) != 0;
}

/* Side branches ----------------------------------------------------------- */

static spv_err reserve_sides(spv_header_tree *tree, size_t more)
{
    size_t cap = tree->cap_sides ? tree->cap_sides : 16;
    side *sides = NULL;

    while (cap < tree->n_sides + more)
        cap *= 2;
    if (cap == tree->cap_sides)
        return SPV_OK;
    sides = realloc(tree->sides, cap * sizeof(*sides));
    if (!sides)
        return SPV_NOMEM;
    tree->sides = sides;
    tree->cap_sides = cap;
    return SPV_OK;
}

/** Add a side header; there must be room in the pool and the index. */
static int32_t push_side(spv_header_tree *tree, const side *s)
{
    int32_t place = ~(int32_t)tree->n_sides;

    tree->sides[tree->n_sides++] = *s;
    spv__index_add(&tree->index, place);
    return place;
}

static void forget_sides(spv_header_tree *tree)
{
    for (size_t i = 0; i < tree->n_sides; i++)
        spv__index_remove(&tree->index, &tree->sides[i].node.hash);
    tree->n_sides = 0;
}

/** How many headers lie between the row and `place`, with it. */
static size_t branch_len(const spv_header_tree *tree, int32_t place)
{
    size_t n = 0;

    for (; !in_row(place); place = parent_of(tree, place))
        n++;
    return n;
}

/** A copy of the branch that ends at `place`, oldest first. Owned; NULL when
 * there is no memory. */
static side *copy_branch(const spv_header_tree *tree, int32_t place, size_t n)
{
    side *copy = malloc((n + !n) * sizeof(*copy));

    for (; copy && n > 0; place = parent_of(tree, place))
        copy[--n] = *side_at(tree, place);
    return copy;
}

/**
 * The pool is full: forget all branches but the one that `parent` ends. SPV_OK
 * when there is room now, SPV_LIMIT when that branch fills the pool alone.
 */
static spv_err make_room(spv_header_tree *tree, spv_hash parent)
{
    int32_t place = spv__index_find(&tree->index, &parent);
    size_t n = branch_len(tree, place);
    side *own = NULL;

    if (n >= tree->side_max)
        return SPV_LIMIT;
    own = copy_branch(tree, place, n);
    if (!own)
        return SPV_NOMEM;
    forget_sides(tree);
    for (size_t i = 0; i < n; i++)
        push_side(tree, &own[i]);
    free(own);
    return SPV_OK;
}

/* Reorganisation ---------------------------------------------------------- */

/** Everything a reorganisation needs, prepared before anything changes. */
typedef struct switching {
    side *branch; /* becomes active, oldest first */
    size_t n_branch;
    side *kept; /* will be the pool: other branches, then what left the row */
    size_t n_kept;
    size_t fork;   /* row nodes that stay */
    size_t n_left; /* row nodes that leave */
    size_t aside;  /* from this one on they are set aside */
} switching;

static bool in_branch(const switching *s, const spv_header_tree *tree,
                      const side *other)
{
    size_t above = (size_t)(other->height - tree->base) - s->fork;

    return other->height - tree->base >= (int32_t)s->fork &&
           above < s->n_branch &&
           spv_hash_equal(&s->branch[above].node.hash, &other->node.hash);
}

static side side_of_row(spv_header_tree *tree, size_t i)
{
    int32_t place = (int32_t)i;

    return (side){.node = *node_at(tree, place),
                  .prev = *prev_at(tree, place),
                  .height = height_at(tree, place),
                  .work = work_at(tree, place)};
}

/** Fill `kept`. When not all fit, the other branches go first (some hang on
 * what leaves the row, so they stand behind it), then its upper end. */
static void keep_others(switching *s, spv_header_tree *tree)
{
    size_t others = tree->n_sides - s->n_branch;

    for (size_t i = s->fork; i < tree->row.n && s->n_kept < tree->side_max;
         i++) {
        s->kept[s->n_kept] = side_of_row(tree, i);
        s->kept[s->n_kept++].aside = i >= s->aside;
    }
    if (others + s->n_left <= tree->side_max)
        for (size_t i = 0; i < tree->n_sides; i++)
            if (!in_branch(s, tree, &tree->sides[i]))
                s->kept[s->n_kept++] = tree->sides[i];
}

static spv_err reserve_left(spv_header_tree *tree, size_t n)
{
    spv_hash *left = NULL;

    if (n <= tree->cap_left)
        return SPV_OK;
    left = realloc(tree->left, n * sizeof(*left));
    if (!left)
        return SPV_NOMEM;
    tree->left = left;
    tree->cap_left = n;
    return SPV_OK;
}

static void switching_clear(switching *s)
{
    free(s->branch);
    free(s->kept);
}

static spv_err prepare(switching *s, spv_header_tree *tree, int32_t new_tip)
{
    int32_t fork = new_tip;

    while (!in_row(fork))
        fork = parent_of(tree, fork);
    s->fork = (size_t)fork + 1;
    s->n_left = tree->row.n - s->fork;
    s->n_branch = branch_len(tree, new_tip);
    s->branch = copy_branch(tree, new_tip, s->n_branch);
    s->kept = malloc((tree->n_sides + s->n_left) * sizeof(*s->kept));
    if (!s->branch || !s->kept || reserve_left(tree, s->n_left) ||
        reserve_sides(tree, s->n_left) ||
        spv__row_reserve(&tree->row, s->n_branch))
        return SPV_NOMEM; /* the index gets no larger: nothing is new */
    keep_others(s, tree);
    return SPV_OK;
}

static void cut_row(spv_header_tree *tree, const switching *s)
{
    for (size_t i = 0; i < s->n_left; i++) {
        size_t at = tree->row.n - 1 - i;

        tree->left[i] = *hash_at(tree, (int32_t)at);
        spv__index_remove(&tree->index, &tree->left[i]);
    }
    spv__row_cut(&tree->row, s->fork);
}

static void push_row(spv_header_tree *tree, const spv_node *node)
{
    spv__row_push(&tree->row, node);
    spv__index_add(&tree->index, tip_place(tree));
}

/** What no row reaches: nothing is set aside. */
enum { NONE_ASIDE = INT32_MAX };

/** Make the branch that ends at `new_tip` the active chain, or nothing. What
 * leaves it from the place `aside` on is set aside. */
static spv_err reorganise(spv_header_tree *tree, int32_t new_tip, int32_t aside,
                          spv_tree_change *change)
{
    switching s = {.aside = (size_t)aside};
    spv_err err = prepare(&s, tree, new_tip);

    if (!err) {
        forget_sides(tree);
        cut_row(tree, &s);
        for (size_t i = 0; i < s.n_branch; i++)
            push_row(tree, &s.branch[i].node);
        for (size_t i = 0; i < s.n_kept; i++)
            push_side(tree, &s.kept[i]);
        *change = (spv_tree_change){.moved = true,
                                    .fork = tree->base + (int32_t)s.fork - 1,
                                    .disconnected = tree->left,
                                    .n_disconnected = s.n_left};
    }
    switching_clear(&s);
    return err;
}

/* Adding ------------------------------------------------------------------ */

static spv_verdict grow_row(spv_header_tree *tree, const spv_node *node,
                            spv_tree_change *change)
{
    if (tree->row.n >= INT32_MAX || spv__row_reserve(&tree->row, 1) ||
        spv__index_reserve(&tree->index, 1))
        return SPV_VERDICT_NOMEM;
    *change = (spv_tree_change){.moved = true, .fork = tip_height(tree)};
    push_row(tree, node);
    return SPV_VERDICT_ADDED;
}

static spv_verdict grow_side(spv_header_tree *tree, const side *s,
                             spv_tree_change *change)
{
    int32_t place = 0;

    if (tree->n_sides >= tree->side_max) {
        spv_err err = make_room(tree, s->prev);

        if (err)
            return err == SPV_LIMIT ? SPV_VERDICT_SIDE_LIMIT
                                    : SPV_VERDICT_NOMEM;
    }
    if (reserve_sides(tree, 1) || spv__index_reserve(&tree->index, 1))
        return SPV_VERDICT_NOMEM;
    place = push_side(tree, s);
    if (spv__u256_compare(s->work, tree->row.work) <= 0)
        return SPV_VERDICT_ADDED;
    if (!reorganise(tree, place, NONE_ASIDE, change))
        return SPV_VERDICT_ADDED;
    /* Without memory to follow it, the heavier header must not stay either:
     * known, it would be a duplicate and never be tried again. */
    spv__index_remove(&tree->index, &s->node.hash);
    tree->n_sides--;
    return SPV_VERDICT_NOMEM;
}

static spv_verdict add_under(spv_header_tree *tree, int32_t parent,
                             const spv_header *h, const spv_hash *hash,
                             spv_tree_change *change)
{
    spv_node node = node_of(h, hash);
    side s = {.node = node, .prev = h->prev};

    if (parent == tip_place(tree))
        return grow_row(tree, &node, change);
    s.height = height_at(tree, parent) + 1;
    s.aside = !in_row(parent) && side_at(tree, parent)->aside;
    s.work = spv__u256_add(work_at(tree, parent),
                           spv__row_work_of(&tree->row, h->bits));
    return grow_side(tree, &s, change);
}

/** The parent's place. The tip is tried first: while nothing is beside it, a
 * child of the tip cannot be known yet, or it would be the tip. */
static spv_verdict find_parent(const spv_header_tree *tree, int32_t *parent,
                               const spv_header *h, const spv_hash *hash)
{
    *parent = tip_place(tree);
    if (!tree->n_sides && spv_hash_equal(&h->prev, hash_at(tree, *parent)))
        return SPV_VERDICT_ADDED;
    if (spv__tree_find(tree, hash, NULL))
        return SPV_VERDICT_DUPLICATE;
    *parent = spv__index_find(&tree->index, &h->prev);
    return *parent == SPV__NO_PLACE ? SPV_VERDICT_ORPHAN : SPV_VERDICT_ADDED;
}

/** `now` is NULL for a header that was checked by an earlier run. */
static spv_verdict add(spv_header_tree *tree,
                       const uint8_t bytes[SPV_HEADER_LEN], const int64_t *now,
                       spv_tree_change *change)
{
    spv_header h;
    spv_hash hash;
    int32_t parent = 0;
    spv_verdict verdict = SPV_VERDICT_ADDED;

    *change = (spv_tree_change){.fork = tip_height(tree)};
    spv_header_decode(&h, bytes);
    spv_header_hash(&hash, bytes);
    if (!spv_pow_check(&hash, h.bits, tree->network))
        return SPV_VERDICT_BAD_POW;
    verdict = find_parent(tree, &parent, &h, &hash);
    if (verdict != SPV_VERDICT_ADDED)
        return verdict;
    if (breaks_checkpoint(tree, parent, bytes))
        return SPV_VERDICT_CHECKPOINT;
    if (now)
        verdict = check_rules(tree, parent, &h, *now);
    if (verdict != SPV_VERDICT_ADDED)
        return verdict;
    return add_under(tree, parent, &h, &hash, change);
}

spv_verdict spv__tree_add(spv_header_tree *tree,
                          const uint8_t header[SPV_HEADER_LEN], int64_t now,
                          spv_tree_change *change)
{
    return add(tree, header, &now, change);
}

spv_verdict spv__tree_load(spv_header_tree *tree,
                           const uint8_t header[SPV_HEADER_LEN])
{
    spv_tree_change change;

    return add(tree, header, NULL, &change);
}

/* Setting aside ----------------------------------------------------------- */

/** Neither a checkpoint nor the base vouches for it. */
static bool may_leave(const spv_header_tree *tree, int32_t place)
{
    const spv_checkpoint *c =
        spv__checkpoint_find(&tree->checkpoints, tip_height(tree));

    return in_row(place) && place > 0 &&
           !(c && height_at(tree, place) <= c->height);
}

/** Mark the branches that leave the row at the place `from` or above. */
static void mark_above(spv_header_tree *tree, int32_t from)
{
    for (size_t i = 0; i < tree->n_sides; i++) {
        int32_t parent = parent_of(tree, ~(int32_t)i);

        tree->sides[i].aside |=
            in_row(parent) ? parent >= from : side_at(tree, parent)->aside;
    }
}

/** Where most work is of all that was not set aside and does not come after
 * the place `last` of the row. */
static int32_t best_without(spv_header_tree *tree, int32_t last)
{
    int32_t best = last;
    spv_u256 most = work_at(tree, last);

    for (size_t i = 0; i < tree->n_sides; i++) {
        const side *s = &tree->sides[i];

        if (s->aside || spv__u256_compare(s->work, most) <= 0)
            continue;
        best = ~(int32_t)i;
        most = s->work;
    }
    return best;
}

spv_err spv__tree_set_aside(spv_header_tree *tree, const spv_hash *hash,
                            spv_tree_change *change)
{
    int32_t place = spv__index_find(&tree->index, hash);

    *change = (spv_tree_change){.fork = tip_height(tree)};
    if (!may_leave(tree, place))
        return SPV_OK;
    mark_above(tree, place);
    return reorganise(tree, best_without(tree, place - 1), place, change);
}

spv_err spv__tree_recall(spv_header_tree *tree, const spv_hash *hash,
                         spv_tree_change *change)
{
    int32_t place = spv__index_find(&tree->index, hash);

    *change = (spv_tree_change){.fork = tip_height(tree)};
    if (place == SPV__NO_PLACE || in_row(place) ||
        spv__u256_compare(side_at(tree, place)->work, tree->row.work) <= 0)
        return SPV_OK;
    return reorganise(tree, place, NONE_ASIDE, change);
}

int spv__tree_compare_aside(const spv_header_tree *tree)
{
    int most = -1;

    for (size_t i = 0; i < tree->n_sides; i++) {
        const side *s = &tree->sides[i];
        int order = s->aside ? spv__u256_compare(s->work, tree->row.work) : -1;

        if (order > most)
            most = order;
    }
    return most;
}

/* Reading ----------------------------------------------------------------- */

static spv_tree_block block_at(const spv_header_tree *tree, int32_t place)
{
    const spv_node *node = node_at(tree, place);

    return (spv_tree_block){.hash = node->hash,
                            .height = height_at(tree, place),
                            .time = node->time,
                            .bits = node->bits,
                            .active = in_row(place)};
}

spv_tree_block spv__tree_tip(const spv_header_tree *tree)
{
    return block_at(tree, tip_place(tree));
}

spv_tree_block spv__tree_base(const spv_header_tree *tree)
{
    return block_at(tree, 0);
}

const spv_checkpoint_list *spv__tree_checkpoints(const spv_header_tree *tree)
{
    return &tree->checkpoints;
}

spv_u256 spv__tree_work(const spv_header_tree *tree)
{
    return tree->row.work;
}

spv_u256 spv__tree_work_of(spv_header_tree *tree, const spv_hash *hash)
{
    int32_t place = spv__index_find(&tree->index, hash);

    return place == SPV__NO_PLACE ? spv__u256(0) : work_at(tree, place);
}

bool spv__tree_at(const spv_header_tree *tree, int32_t height,
                  spv_tree_block *out)
{
    if (height < tree->base || height > tip_height(tree))
        return false;
    *out = block_at(tree, height - tree->base);
    return true;
}

bool spv__tree_find(const spv_header_tree *tree, const spv_hash *hash,
                    spv_tree_block *out)
{
    int32_t place = spv__index_find(&tree->index, hash);

    if (place == SPV__NO_PLACE)
        return false;
    if (out)
        *out = block_at(tree, place);
    return true;
}

static void encode_at(const spv_header_tree *tree, int32_t place,
                      uint8_t out[SPV_HEADER_LEN])
{
    const spv_node *node = node_at(tree, place);
    spv_header h = {.version = node->version,
                    .prev = *prev_at(tree, place),
                    .merkle_root = node->merkle_root,
                    .time = node->time,
                    .bits = node->bits,
                    .nonce = node->nonce};

    spv_header_encode(out, &h);
}

bool spv__tree_header(const spv_header_tree *tree, const spv_hash *hash,
                      uint8_t out[SPV_HEADER_LEN])
{
    int32_t place = spv__index_find(&tree->index, hash);

    if (place == SPV__NO_PLACE)
        return false;
    encode_at(tree, place, out);
    return true;
}

bool spv__tree_header_at(const spv_header_tree *tree, int32_t height,
                         uint8_t out[SPV_HEADER_LEN])
{
    if (height < tree->base || height > tip_height(tree))
        return false;
    encode_at(tree, height - tree->base, out);
    return true;
}

uint32_t spv__tree_median_time(const spv_header_tree *tree, int32_t height)
{
    uint32_t times[SPV__MEDIAN_SPAN];
    int n = 0;

    for (int32_t h = height; h >= tree->base && n < SPV__MEDIAN_SPAN; h--)
        times[n++] = node_at(tree, h - tree->base)->time;
    return spv__median_time(times, n);
}

int32_t spv__tree_fork(const spv_header_tree *tree, const spv_hash *a,
                       const spv_hash *b)
{
    int32_t at = spv__index_find(&tree->index, a);
    int32_t other = spv__index_find(&tree->index, b);

    if (at == SPV__NO_PLACE || other == SPV__NO_PLACE)
        return -1;
    while (at != other) {
        int32_t height = height_at(tree, at);
        int32_t other_height = height_at(tree, other);
        int32_t low = height < other_height ? height : other_height;

        if (height == other_height)
            low--;
        at = ancestor_of(tree, at, low);
        other = ancestor_of(tree, other, low);
    }
    return height_at(tree, at);
}

size_t spv__tree_side_count(const spv_header_tree *tree)
{
    return tree->n_sides;
}

size_t spv__tree_bytes(const spv_header_tree *tree)
{
    return sizeof(*tree) + spv__row_bytes(&tree->row) +
           tree->cap_sides * sizeof(side) +
           tree->index.cap * sizeof(*tree->index.slots) +
           tree->cap_left * sizeof(*tree->left);
}
