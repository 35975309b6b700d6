#ifndef SPV_TESTS_KINDS_CHAIN_H
#define SPV_TESTS_KINDS_CHAIN_H

#include "runner.h"

#include <spv/header.h>
#include <spv/network.h>

#include "base/u256.h"

/* The kinds of the chain room fill three files; the table is kinds_chain.c's.
 */

/* Long after every header of the vectors. */
#define LATE INT64_C(4000000000)

/* Fields that chains have in common. */
const spv_network *field_network(spv_case *c);
uint32_t field_hex_u32(spv_case *c, const char *field);
spv_u256 field_number(spv_case *c, const char *field);
const uint8_t *field_header(spv_case *c, const char *field);

const uint8_t *header_bytes(spv_case *c, spv_view v);
spv_header decoded_header(const uint8_t *bytes);
spv_hash hash_of_header(const uint8_t *bytes);

void expect_hex(spv_case *c, const char *field, int64_t number);
void expect_number(spv_case *c, const char *what, spv_u256 got, spv_u256 want);
void expect_hash_field(spv_case *c, const char *field, const spv_hash *got);

/* kinds_rules.c */
void kind_compact(spv_case *c);
void kind_compact_encode(spv_case *c);
void kind_work(spv_case *c);
void kind_check_pow(spv_case *c);
void kind_median_time(spv_case *c);
void kind_network_params(spv_case *c);
void kind_version_rules(spv_case *c);
void kind_time_rules(spv_case *c);
void kind_retarget(spv_case *c);
void kind_retarget_bip94(spv_case *c);
void kind_retarget_headers(spv_case *c);
void kind_rule_fact(spv_case *c);

/* kinds_merkle.c */
void kind_merkleblock(spv_case *c);
void kind_merkleblock_accepted_edge(spv_case *c);
void kind_merkleblock_invalid(spv_case *c);
void kind_merkleblock_policy(spv_case *c);
void kind_pmt_roundtrip(spv_case *c);

#endif
