#include "kinds_wire.h"

void expect_member_int(spv_case *c, const json_t *of, const char *name,
                       int64_t got)
{
    const json_t *want = json_object_get(of, name);

    if (json_is_integer(want))
        expect_int(c, name, got, json_integer_value(want));
    else
        expect_text(c, name, "no integer", "an integer");
}

void expect_member_bytes(spv_case *c, const json_t *of, const char *name,
                         const uint8_t *got, size_t len)
{
    expect_bytes(c, name, got, len, case_hex_of(c, json_object_get(of, name)));
}

const json_t *expect_array(spv_case *c, const json_t *of, const char *name,
                           size_t n)
{
    const json_t *want = json_object_get(of, name);

    expect_true(c, name, json_is_array(want));
    expect_int(c, name, (int64_t)n, (int64_t)json_array_size(want));
    return json_array_size(want) == n ? want : NULL;
}

const spv_kind spv__kinds_wire[] = {
    {"message", run_message},
    {"version_optional_fields", run_version_optional_fields},
    {"framing", run_framing},
    {"framing_fact", run_framing_fact},
    {"addrv2_address", run_addrv2_address},
    {"addrv2_stream", run_addrv2_stream},
    {"compactsize", run_compactsize},
    {"limit", run_limit},
    {"protocol_version", run_protocol_version},
    {"service_bit", run_service_bit},
    {"inv_type", run_inv_type},
    {"peer_behaviour", run_peer_behaviour},
    {"base58", run_base58},
    {"base58_decode", run_base58_decode},
    {"base58check", run_base58check},
    {"address", run_address},
    {"bech32_string", run_bech32_string},
    {"segwit_address", run_segwit_address},
    {"tx_serialization", run_tx_serialization},
    {"tx_invalid_encoding", run_tx_invalid_encoding},
    {"tx_serialization_edge", run_tx_serialization_edge},
    {NULL, NULL},
};
