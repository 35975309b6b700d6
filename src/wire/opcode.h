#ifndef SPV_WIRE_OPCODE_H
#define SPV_WIRE_OPCODE_H

/** The opcodes that standard output scripts are made of. */
enum {
    SPV__OP_0 = 0x00,
    SPV__OP_PUSHDATA1 = 0x4c,
    SPV__OP_PUSHDATA4 = 0x4e,
    SPV__OP_1 = 0x51,
    SPV__OP_16 = 0x60,
    SPV__OP_RETURN = 0x6a,
    SPV__OP_DUP = 0x76,
    SPV__OP_EQUAL = 0x87,
    SPV__OP_EQUALVERIFY = 0x88,
    SPV__OP_HASH160 = 0xa9,
    SPV__OP_CHECKSIG = 0xac,
    SPV__OP_CHECKMULTISIG = 0xae
};

#endif
