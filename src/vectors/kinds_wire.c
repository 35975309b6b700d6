#include "vectors/kinds_wire.h"

void spv__expect_member_int(spv_case *c, const json_t *of, const char *name,
                            int64_t got)
{
    const json_t *want = json_object_get(of, name);

    if (json_is_integer(want))
        spv__expect_int(c, name, got, json_integer_value(want));
    else
        spv__expect_text(c, name, "no integer", "an integer");
}

void spv__expect_member_bytes(spv_case *c, const json_t *of, const char *name,
                              const uint8_t *got, size_t len)
{
    spv__expect_bytes(c, name, got, len,
                      spv__case_hex_of(c, json_object_get(of, name)));
}

const json_t *spv__expect_array(spv_case *c, const json_t *of, const char *name,
                                size_t n)
{
    const json_t *want = json_object_get(of, name);

    spv__expect_true(c, name, json_is_array(want));
    spv__expect_int(c, name, (int64_t)n, (int64_t)json_array_size(want));
    return json_array_size(want) == n ? want : NULL;
}

const spv_kind spv__kinds_wire[] = {
    {{"message", "a whole message of the protocol, read and written"},
     spv__kind_message},
    {{"version_optional_fields", "version messages that end early"},
     spv__kind_version_optional_fields},
    {{"framing", "frames that are refused, ignored or incomplete"},
     spv__kind_framing},
    {{"framing_fact", "a message that comes in pieces"},
     spv__kind_framing_fact},
    {{"addrv2_address", "an address in an addrv2 message (BIP 155)"},
     spv__kind_addrv2_address},
    {{"addrv2_stream", "several of them, with ones to pass over"},
     spv__kind_addrv2_stream},
    {{"compactsize", "the variable-length integer, and wrong forms of it"},
     spv__kind_compactsize},
    {{"limit", "limits of the protocol"}, spv__kind_limit},
    {{"protocol_version", "protocol versions that brought something"},
     spv__kind_protocol_version},
    {{"service_bit", "service bits"}, spv__kind_service_bit},
    {{"inv_type", "types of inventory"}, spv__kind_inv_type},
    {{"peer_behaviour", "how the reference node reacts, for fake peers"},
     spv__kind_peer_behaviour},
    {{"base58", "bytes to base58 and back"}, spv__kind_base58},
    {{"base58_decode", "base58 that is or is not valid"},
     spv__kind_base58_decode},
    {{"base58check", "base58 with a checksum"}, spv__kind_base58check},
    {{"address", "an address and its output script"}, spv__kind_address},
    {{"bech32_string", "bech32 and bech32m, valid or not"},
     spv__kind_bech32_string},
    {{"segwit_address", "witness addresses, valid or not"},
     spv__kind_segwit_address},
    {{"tx_serialization", "a transaction's fields, identifiers and sizes"},
     spv__kind_tx_serialization},
    {{"tx_invalid_encoding", "bytes that are no transaction"},
     spv__kind_tx_invalid_encoding},
    {{"tx_serialization_edge", "bytes that can be read in two ways"},
     spv__kind_tx_serialization_edge},
    {{NULL, NULL}, NULL},
};
