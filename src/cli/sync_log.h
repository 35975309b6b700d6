#ifndef SPV_CLI_SYNC_LOG_H
#define SPV_CLI_SYNC_LOG_H

#include "cli/cli.h"

/*
 * How a sync gets on, in lines for --log-level info and debug: what changed in
 * the client's report since it was last looked at.
 */
typedef struct cli_sync_log {
    const cli *c;
    const spv_client *client;
    spv_phase phase;
    size_t n_peers;
    uint32_t generation;
    uint32_t refetched;
    uint32_t wallet_txs;
    int32_t told_height; /* of blocks or headers, in this phase */
    spv_sync_report now; /* as last looked at */
} cli_sync_log;

/** Begin, before the client is driven; both are borrowed. */
void cli_sync_log_init(cli_sync_log *log, const cli *c,
                       const spv_client *client);

/** Whether there is something to tell. Cheap when nobody listens. */
bool cli_sync_log_has_news(cli_sync_log *log);

/** Tell it. */
void cli_sync_log_tell(cli_sync_log *log);

#endif
