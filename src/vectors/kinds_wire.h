#ifndef SPV_VECTORS_KINDS_WIRE_H
#define SPV_VECTORS_KINDS_WIRE_H

#include "vectors/kind.h"

/* The kinds of room wire, one file a subject; kinds_wire.c has the table. */

/* kinds_wire_message.c: whole messages, read and written back. */
void spv__kind_message(spv_case *c);
void spv__kind_version_optional_fields(spv_case *c);

/* kinds_wire_frame.c: frames, and the numbers and addresses inside them. */
void spv__kind_framing(spv_case *c);
void spv__kind_framing_fact(spv_case *c);
void spv__kind_addrv2_address(spv_case *c);
void spv__kind_addrv2_stream(spv_case *c);
void spv__kind_compactsize(spv_case *c);

/* kinds_wire_fact.c: numbers of the protocol, and how nodes behave. */
void spv__kind_limit(spv_case *c);
void spv__kind_protocol_version(spv_case *c);
void spv__kind_service_bit(spv_case *c);
void spv__kind_inv_type(spv_case *c);
void spv__kind_peer_behaviour(spv_case *c);

/* kinds_wire_text.c: encodings of text, and addresses. */
void spv__kind_base58(spv_case *c);
void spv__kind_base58_decode(spv_case *c);
void spv__kind_base58check(spv_case *c);
void spv__kind_address(spv_case *c);
void spv__kind_bech32_string(spv_case *c);
void spv__kind_segwit_address(spv_case *c);

/* kinds_wire_tx.c */
void spv__kind_tx_serialization(spv_case *c);
void spv__kind_tx_invalid_encoding(spv_case *c);
void spv__kind_tx_serialization_edge(spv_case *c);

/* Compare a value with the integer, or the hex text, that `of` holds. */
void spv__expect_member_int(spv_case *c, const json_t *of, const char *name,
                            int64_t got);
void spv__expect_member_bytes(spv_case *c, const json_t *of, const char *name,
                              const uint8_t *got, size_t len);

/** The array `of` holds, which must have `n` elements: else an empty one. */
const json_t *spv__expect_array(spv_case *c, const json_t *of, const char *name,
                                size_t n);

#endif
