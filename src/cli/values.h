#ifndef SPV_CLI_VALUES_H
#define SPV_CLI_VALUES_H

#include <jansson.h>

#include <spv/client.h>

/*
 * Values as the JSON documents show them: hashes big-endian, heights null when
 * there is none, amounts in satoshi. All are new references, NULL without
 * memory (which the jansson calls they are given to pass on).
 */
json_t *cli_json_hash(const spv_hash *hash);
json_t *cli_json_hex(const uint8_t *bytes, size_t len);
json_t *cli_json_height(int32_t height);
json_t *cli_json_amount(int64_t satoshi);
json_t *cli_json_time(int64_t seconds); /**< null for 0 */
json_t *cli_json_date(int64_t seconds); /**< null below 0: none was chosen */
json_t *cli_json_count(uint64_t n);

/** A finite number; else null. */
json_t *cli_json_real(double x);

/** A text, or null. */
json_t *cli_json_text(const char *text);

/** The address of an output script, or null. */
json_t *cli_json_address(const uint8_t *script, size_t len,
                         const spv_network *network);

/** Blocks on top of `height` up to `tip`, itself included; 0 for none. */
json_t *cli_json_confirmations(int32_t height, int32_t tip);

/** The word for a filter's flags that --flags takes; NULL if there is none. */
const char *cli_flags_word(uint64_t flags);

#endif
