"""BIP 37 in plain Python: MurmurHash3, the filter, transactions, blocks, partial
merkle trees.

Written from the BIPs, and apart from the C code, so that the two can check each
other. It is slow and has no limits on what it is given: for vectors only.
"""

import hashlib
import io
import math
import struct

MAX_FILTER_BYTES, MAX_HASH_FUNCS, MAX_ELEMENT = 36000, 50, 520
UPDATE_NONE, UPDATE_ALL, UPDATE_P2PUBKEY_ONLY = 0, 1, 2
MAX_BLOCK_TXS = 16666  # 4,000,000 / (4 * 60)


def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


# ---- The filter ----


def murmur3(seed, data):
    def rotate(x, by):
        return (x << by | x >> (32 - by)) & 0xFFFFFFFF

    def scramble(word):
        word = word * 0xCC9E2D51 & 0xFFFFFFFF
        return rotate(word, 15) * 0x1B873593 & 0xFFFFFFFF

    h = seed
    whole = len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        h = (rotate(h ^ scramble(word), 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= scramble(int.from_bytes(data[whole:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return h ^ h >> 16


def hash_seed(index, tweak):
    return (index * 0xFBA4C795 + tweak) & 0xFFFFFFFF


def filter_size(n, rate):
    """Bytes and hash functions, as the reference implementation rounds them."""
    bits = min(-n * math.log(rate) / math.log(2) ** 2, MAX_FILTER_BYTES * 8)
    size = int(bits) // 8
    return size, min(int(size * 8 // n * math.log(2)), MAX_HASH_FUNCS)


class Filter:
    def __init__(self, payload):
        stream = io.BytesIO(payload)
        self.bits = bytearray(read_var_bytes(stream))
        self.hash_funcs, self.tweak, self.flags = struct.unpack(
            "<IIB", stream.read(9))
        assert stream.read() == b""

    @classmethod
    def sized(cls, n, rate, tweak, flags):
        size, hash_funcs = filter_size(n, rate)
        return cls(var_bytes(bytes(size)) +
                   struct.pack("<IIB", hash_funcs, tweak, flags))

    def payload(self):
        return var_bytes(self.bits) + struct.pack("<IIB", self.hash_funcs,
                                                  self.tweak, self.flags)

    def places(self, element):
        for i in range(self.hash_funcs):
            yield (murmur3(hash_seed(i, self.tweak), element) %
                   (8 * len(self.bits)))

    def insert(self, element):
        if self.bits:
            for place in self.places(element):
                self.bits[place // 8] |= 1 << place % 8

    def contains(self, element):
        """An empty filter contains everything: so the reference says."""
        return not self.bits or all(self.bits[place // 8] >> place % 8 & 1
                                    for place in self.places(element))

    def updates_for(self, script):
        kind = self.flags & 3
        return kind == UPDATE_ALL or (kind == UPDATE_P2PUBKEY_ONLY and
                                      pays_a_key(script))

    def match(self, tx):
        """BIP 37's "filter matching algorithm", its updates included."""
        found = self.contains(tx.txid)
        for index, (_, script) in enumerate(tx.outputs):
            if any(self.contains(push) for push in pushes(script) if push):
                found = True
                if self.updates_for(script):
                    self.insert(tx.txid + struct.pack("<I", index))
        return found or any(
            self.contains(outpoint) or
            any(self.contains(push) for push in pushes(script) if push)
            for outpoint, script, _ in tx.inputs)


# ---- Encodings ----


def read_compact(stream):
    first = read_exactly(stream, 1)[0]
    if first < 0xFD:
        return first
    length = {0xFD: 2, 0xFE: 4, 0xFF: 8}[first]
    value = int.from_bytes(read_exactly(stream, length), "little")
    if len(compact(value)) != length + 1:
        raise ValueError("a longer form than needed")
    return value


def compact(value):
    for mark, length in ((None, 1), (0xFD, 2), (0xFE, 4), (0xFF, 8)):
        if value < (0xFD if mark is None else 1 << 8 * length):
            return (b"" if mark is None else bytes([mark])) + value.to_bytes(
                length, "little")
    raise ValueError("over 64 bits")


def read_exactly(stream, length):
    data = stream.read(min(length, 1 << 31))
    if len(data) != length:
        raise ValueError("ran out of bytes")
    return data


def read_var_bytes(stream):
    return read_exactly(stream, read_compact(stream))


def var_bytes(data):
    return compact(len(data)) + bytes(data)


# ---- Scripts ----


def pushes(script):
    """The data that a script pushes, up to where it breaks off."""
    at = 0
    while at < len(script):
        opcode = script[at]
        at += 1
        if opcode > 0x4E:
            yield b""
            continue
        if opcode < 0x4C:
            length = opcode
        else:
            width = 1 << opcode - 0x4C
            if at + width > len(script):
                return
            length = int.from_bytes(script[at:at + width], "little")
            at += width
        if at + length > len(script):
            return
        yield script[at:at + length]
        at += length


def is_key(data):
    return len(data) == {4: 65, 6: 65, 7: 65, 2: 33, 3: 33}.get(
        data[0] if data else 0)


def pays_a_key(script):
    """Pay to public key, or bare multisig of 1 to 16 keys."""
    if script[-1:] == b"\xac" and script[:1] in (b"\x21", b"\x41"):
        return len(script) == script[0] + 2 and is_key(script[1:-1])
    if len(script) < 3 or script[-1] != 0xAE:
        return False
    needed, of = script[0] - 0x50, script[-2] - 0x50
    keys = list(pushes(script[1:-2]))
    return (1 <= needed <= of <= 16 and len(keys) == of and
            all(map(is_key, keys)) and
            b"".join(map(var_bytes, keys)) == script[1:-2])


# ---- Transactions and blocks ----


class Tx:
    """inputs: (outpoint, script, sequence); outputs: (value, script)."""

    def __init__(self, stream):
        self.version = read_exactly(stream, 4)
        at = stream.tell()
        has_witness = stream.read(2) == b"\0\1"
        if not has_witness:
            stream.seek(at)
        self.inputs = [(read_exactly(stream, 36), read_var_bytes(stream),
                        read_exactly(stream, 4))
                       for _ in range(read_compact(stream))]
        self.outputs = [(read_exactly(stream, 8), read_var_bytes(stream))
                        for _ in range(read_compact(stream))]
        self.witness = [[read_var_bytes(stream)
                         for _ in range(read_compact(stream))]
                        for _ in self.inputs] if has_witness else None
        self.lock_time = read_exactly(stream, 4)
        self.txid = sha256d(self.stripped())

    def stripped(self):
        """The bytes without witness: what is hashed, and what a node sends
        after a merkleblock."""
        return (self.version + compact(len(self.inputs)) +
                b"".join(outpoint + var_bytes(script) + sequence
                         for outpoint, script, sequence in self.inputs) +
                compact(len(self.outputs)) +
                b"".join(value + var_bytes(script)
                         for value, script in self.outputs) + self.lock_time)


def read_tx(data):
    stream = io.BytesIO(data)
    tx = Tx(stream)
    if stream.read():
        raise ValueError("bytes are left over")
    return tx


def read_block(data):
    """Its header and its transactions."""
    stream = io.BytesIO(data)
    header = read_exactly(stream, 80)
    txs = [Tx(stream) for _ in range(read_compact(stream))]
    if stream.read():
        raise ValueError("bytes are left over")
    return header, txs


def has_work(header):
    """Whether a header's hash is at or below its own target."""
    bits = int.from_bytes(header[72:76], "little")
    target = (bits & 0x7FFFFF) << 8 * (bits >> 24) >> 24
    return int.from_bytes(sha256d(header), "little") <= target


# ---- Partial merkle trees ----


def width(n, height):
    return n + (1 << height) - 1 >> height


def tree_height(n):
    return next(h for h in range(64) if width(n, h) <= 1)


def pair(left, right):
    return sha256d(left + right)


def node(txids, height, at):
    """The hash at a place of the whole tree."""
    if height == 0:
        return txids[at]
    left = node(txids, height - 1, 2 * at)
    alone = 2 * at + 1 >= width(len(txids), height - 1)
    return pair(left, left if alone else node(txids, height - 1, 2 * at + 1))


def merkle_root(txids):
    while len(txids) > 1:
        txids = txids + txids[-1:] * (len(txids) % 2)
        txids = [pair(*txids[i:i + 2]) for i in range(0, len(txids), 2)]
    return txids[0]


def partial_tree(txids, matched):
    """Hashes and flag bytes, depth first: a set bit is a node above a match."""
    hashes, bits = [], []

    def visit(height, at):
        below = matched[at << height:(at + 1) << height]
        bits.append(any(below))
        if not bits[-1] or height == 0:
            hashes.append(node(txids, height, at))
            return
        for child in (2 * at, 2 * at + 1):
            if child < width(len(txids), height - 1):
                visit(height - 1, child)

    visit(tree_height(len(txids)), 0)
    flags = bytearray((len(bits) + 7) // 8)
    for i, bit in enumerate(bits):
        flags[i // 8] |= bit << i % 8
    return hashes, bytes(flags)


def write_tree(n, hashes, flags):
    return (struct.pack("<I", n) + compact(len(hashes)) + b"".join(hashes) +
            var_bytes(flags))


def merkleblock(header, txids, matched):
    return header + write_tree(len(txids), *partial_tree(txids, matched))


class Refused(Exception):
    """A proof that proves nothing; its text is the first rule broken."""


def read_merkleblock(payload):
    stream = io.BytesIO(payload)
    try:
        header = read_exactly(stream, 80)
        n = int.from_bytes(read_exactly(stream, 4), "little")
        count = read_compact(stream)
        hashes = read_exactly(stream, 32 * count)
        flags = read_var_bytes(stream)
    except ValueError as wrong:
        raise Refused("parse-error") from wrong
    if stream.read():
        raise Refused("trailing-bytes")
    return header, n, [hashes[i:i + 32] for i in range(0, 32 * count, 32)], flags


def reads_as_tx(data):
    """64 bytes that are a transaction of one input and one output."""
    try:
        tx = read_tx(data)
    except (ValueError, KeyError):
        return False
    return (tx.witness is None and len(tx.inputs) == len(tx.outputs) == 1 and
            int.from_bytes(tx.outputs[0][0], "little") <= 21000000 * 10 ** 8)


class Proof:
    """A walk through a partial tree, from the root down."""

    def __init__(self, n, hashes, flags):
        self.n, self.hashes = n, list(hashes)
        self.bits = [flags[i // 8] >> i % 8 & 1 for i in range(8 * len(flags))]
        self.matches = []  # (index, txid)
        self.check_counts()
        left = len(self.bits)
        self.root = self.visit(tree_height(n), 0)
        if (left - len(self.bits) + 7) // 8 != left // 8:
            raise Refused("unused-flag-bytes")
        if self.hashes:
            raise Refused("unused-hashes")

    def check_counts(self):
        for broken, rule in (
                (self.n == 0, "no-transactions"),
                (self.n > MAX_BLOCK_TXS, "too-many-transactions"),
                (len(self.hashes) > self.n, "more-hashes-than-transactions"),
                (len(self.bits) < len(self.hashes), "fewer-bits-than-hashes")):
            if broken:
                raise Refused(rule)

    def take(self, supply, rule):
        if not supply:
            raise Refused(rule)
        return supply.pop(0)

    def visit(self, height, at):
        bit = self.take(self.bits, "bits-overrun")
        if not bit or height == 0:
            found = self.take(self.hashes, "hashes-overrun")
            if bit:
                self.matches.append((at, found))
            return found
        left = right = self.visit(height - 1, 2 * at)
        if 2 * at + 1 < width(self.n, height - 1):
            right = self.visit(height - 1, 2 * at + 1)
            if left == right:
                raise Refused("identical-siblings")
        if reads_as_tx(left + right):
            raise Refused("inner-node-is-transaction")
        return pair(left, right)


def verify(payload, asks_for_work=True):
    """The matches that a merkleblock proves: (index, txid)."""
    header, n, hashes, flags = read_merkleblock(payload)
    proof = Proof(n, hashes, flags)
    if proof.root != header[36:68]:
        raise Refused("root-mismatch")
    if asks_for_work and not has_work(header):
        raise Refused("proof-of-work")
    return proof.matches
