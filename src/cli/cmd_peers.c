#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spv/peers.h>

#include "cli/commands.h"
#include "cli/open.h"
#include "cli/text.h"
#include "cli/values.h"

/* The nodes that are known, all wallets' of a network. */

/* A ban by hand ends when nobody remembers why. */
enum { BAN_DAYS = 365, DAY_S = 86400 };

/* ---- The document ---- */

static json_t *peer_doc(const spv_known_peer *peer, int64_t now)
{
    bool banned = peer->banned_until_time > now;
    bool known = peer->met || peer->services != 0;

    return json_pack(
        "{s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "address",
        peer->address, "services", cli_json_count(peer->services), "node_bloom",
        known ? json_boolean(peer->node_bloom) : json_null(), "met", peer->met,
        "source", spv_peer_source_name(peer->source), "failures",
        cli_json_count(peer->failures), "last_seen_time",
        cli_json_time(peer->last_seen_time), "last_tried_time",
        cli_json_time(peer->last_tried_time), "last_success_time",
        cli_json_time(peer->last_success_time), "banned_until_time",
        banned ? cli_json_time(peer->banned_until_time) : json_null());
}

/* All of them; or those of the hosts that were named. */
static spv_err list_doc(cli *c, const spv_peers *peers, bool named,
                        json_t **doc)
{
    spv_known_peer *list = NULL;
    size_t n = 0;
    spv_err err = spv_peers_list(peers, &list, &n);

    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    *doc = json_array();
    for (size_t i = 0; i < n; i++) {
        bool wanted = !named;

        for (size_t k = 0; k < c->n_args && !wanted; k++)
            wanted = spv_peers_is_of(peers, &list[i], c->args[k]);
        if (wanted)
            (void)json_array_append_new(
                *doc, peer_doc(&list[i], (int64_t)time(NULL)));
    }
    free(list);
    return SPV_OK;
}

/* ---- The commands ---- */

static spv_err open_peers(cli *c, spv_peers **out)
{
    spv_place place;
    spv_err err = cli_place(c, &place);

    if (err == SPV_OK)
        err = spv_peers_open(out, &place, &c->trouble);
    if (err == SPV_OK && c->trouble.text[0])
        cli_say(c, CLI_WARN, "%s", c->trouble.text);
    return err;
}

spv_err cli_peers_list(cli *c, json_t **doc)
{
    spv_peers *peers = NULL;
    spv_err err = open_peers(c, &peers);

    if (err == SPV_OK)
        err = list_doc(c, peers, false, doc);
    spv_peers_free(peers);
    return err;
}

/* Does one thing with a host; returns what went wrong, told in `trouble`. */
typedef spv_err change(spv_peers *peers, const char *text,
                       spv_trouble *trouble);

static spv_err change_each(cli *c, change *one, json_t **doc)
{
    spv_peers *peers = NULL;
    spv_err err = open_peers(c, &peers);

    for (size_t i = 0; i < c->n_args && err == SPV_OK; i++)
        err = one(peers, c->args[i], &c->trouble);
    if (err == SPV_OK)
        err = list_doc(c, peers, true, doc);
    spv_peers_free(peers);
    return err;
}

static void warn_of_ban(cli *c, const json_t *peer)
{
    if (json_is_integer(json_object_get(peer, "banned_until_time")))
        cli_say(c, CLI_WARN,
                "%s is banned: 'spvclient peers unban %s' lets it be tried",
                json_string_value(json_object_get(peer, "address")),
                json_string_value(json_object_get(peer, "address")));
}

static spv_err ban(spv_peers *peers, const char *text, spv_trouble *trouble)
{
    int64_t until = (int64_t)time(NULL) + (int64_t)BAN_DAYS * DAY_S;

    return spv_peers_ban(peers, text, until, trouble);
}

static spv_err unban(spv_peers *peers, const char *text, spv_trouble *trouble)
{
    return spv_peers_unban(peers, text, (int64_t)time(NULL), trouble);
}

spv_err cli_peers_add(cli *c, json_t **doc)
{
    spv_err err = change_each(c, spv_peers_add, doc);
    json_t *peer = NULL;
    size_t i = 0;

    json_array_foreach(*doc, i, peer) warn_of_ban(c, peer);
    return err;
}

spv_err cli_peers_ban(cli *c, json_t **doc)
{
    return change_each(c, ban, doc);
}

spv_err cli_peers_unban(cli *c, json_t **doc)
{
    return change_each(c, unban, doc);
}

void cli_peers_text(const cli *c, const json_t *doc)
{
    static const cli_field columns[] = {
        {"address", "ADDRESS", CLI_AS_IS},
        {"node_bloom", "FILTERS", CLI_AS_IS},
        {"source", "SOURCE", CLI_AS_IS},
        {"last_success_time", "SERVED", CLI_AS_TIME},
        {"last_seen_time", "SEEN", CLI_AS_TIME},
        {"failures", "FAILURES", CLI_AS_IS},
        {"banned_until_time", "BANNED UNTIL", CLI_AS_TIME},
    };

    if (json_array_size(doc) == 0)
        cli_say(c, CLI_NOTE, "no peers of %s are known", c->network->name);
    else
        cli_print_table(c, doc, CLI_FIELDS(columns));
}
