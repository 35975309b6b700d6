#ifndef SPV_VECTORS_KINDS_CHAIN_H
#define SPV_VECTORS_KINDS_CHAIN_H

#include "vectors/kind.h"

#include <spv/header.h>
#include <spv/network.h>

#include "base/u256.h"

/* The kinds of the chain room fill three files; the table is kinds_chain.c's.
 */

/* Long after every header of the vectors. */
#define LATE INT64_C(4000000000)

/* Higher than any chain of the vectors. */
#define HEIGHT_MAX 10000000

/* Fields that chains have in common. */
const spv_network *spv__field_network(spv_case *c);
int32_t spv__field_height(spv_case *c, const char *field);
uint32_t spv__field_hex_u32(spv_case *c, const char *field);
spv_u256 spv__field_number(spv_case *c, const char *field);
const uint8_t *spv__field_header(spv_case *c, const char *field);

const uint8_t *spv__header_bytes(spv_case *c, spv_view v);
spv_header spv__decoded_header(const uint8_t *bytes);
spv_hash spv__hash_of_header(const uint8_t *bytes);

void spv__expect_hex(spv_case *c, const char *field, int64_t number);
void spv__expect_number(spv_case *c, const char *what, spv_u256 got,
                        spv_u256 want);
void spv__expect_hash_field(spv_case *c, const char *field,
                            const spv_hash *got);

/* kinds_rules.c */
void spv__kind_compact(spv_case *c);
void spv__kind_compact_encode(spv_case *c);
void spv__kind_work(spv_case *c);
void spv__kind_check_pow(spv_case *c);
void spv__kind_median_time(spv_case *c);
void spv__kind_network_params(spv_case *c);
void spv__kind_version_rules(spv_case *c);
void spv__kind_time_rules(spv_case *c);
void spv__kind_retarget(spv_case *c);
void spv__kind_retarget_bip94(spv_case *c);
void spv__kind_retarget_headers(spv_case *c);
void spv__kind_rule_fact(spv_case *c);

/* kinds_merkle.c */
void spv__kind_merkleblock(spv_case *c);
void spv__kind_merkleblock_accepted_edge(spv_case *c);
void spv__kind_merkleblock_invalid(spv_case *c);
void spv__kind_merkleblock_policy(spv_case *c);
void spv__kind_pmt_roundtrip(spv_case *c);

#endif
