"""An SPV client that believes everything, and hurries."""

import hashlib
import socket
import struct

MAGIC = bytes.fromhex("fabfb5da")
GENESIS = bytes.fromhex(
    "06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f")
VERSION = (struct.pack("<iQq", 70015, 0, 0) + bytes(52) + bytes(8) +
           b"\x0a/careless/" + struct.pack("<i?", 0, True))
FILTERED_BLOCK = 3
MATCH_MOST = b"\xff" * 8


def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def filterload(bits=MATCH_MOST, functions=3, tweak=7, flags=1):
    size = (bytes([len(bits)]) if len(bits) < 0xfd else
            b"\xfd" + struct.pack("<H", len(bits)))
    return (size + bits + struct.pack("<II", functions, tweak) +
            bytes([flags]))


def element_of(address):
    """What a filter holds for a P2WPKH address of regtest."""
    bits = "".join(f"{'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.index(c):05b}"
                   for c in address[len("bcrt1q"):-6])
    return int(bits, 2).to_bytes(20, "big")


def murmur3(seed, data):
    """MurmurHash3, x86, 32 bits, as BIP 37 has it."""
    most = 0xffffffff
    tail = len(data) // 4 * 4
    words = list(struct.unpack(f"<{tail // 4}I", data[:tail]))
    h = seed
    for k in [*words, int.from_bytes(data[tail:], "little")]:
        k = k * 0xcc9e2d51 & most
        k = (k << 15 | k >> 17) & most
        h ^= k * 0x1b873593 & most
        if words:
            words.pop()
            h = (h << 13 | h >> 19) & most
            h = h * 5 + 0xe6546b64 & most
    h ^= len(data)
    for shift, factor in (16, 0x85ebca6b), (13, 0xc2b2ae35), (16, 1):
        h = (h ^ h >> shift) * factor & most
    return h


def bits_of(elements, size=500, functions=3, tweak=7):
    bits = bytearray(size)
    for element in elements:
        for i in range(functions):
            at = murmur3(i * 0xfba4c795 + tweak & 0xffffffff,
                         element) % (size * 8)
            bits[at // 8] |= 1 << at % 8
    return bytes(bits)


def getdata(hashes):
    assert len(hashes) < 0xfd  # a count of one byte
    return (bytes([len(hashes)]) +
            b"".join(struct.pack("<I", FILTERED_BLOCK) + h for h in hashes))


class Careless:
    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=20)
        self.bytes = self.socket.makefile("rb")
        self.pings = 0
        self.say("version", VERSION)
        self.until("verack")
        self.say("verack")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bytes.close()
        self.socket.close()

    def say(self, command, payload=b""):
        self.socket.sendall(
            MAGIC + command.encode().ljust(12, b"\0") +
            struct.pack("<I", len(payload)) + sha256d(payload)[:4] + payload)

    def hear(self):
        """The next message; pings are answered, as everybody does."""
        head = self.bytes.read(24)
        if len(head) < 24:
            raise EOFError
        payload = self.bytes.read(struct.unpack("<I", head[16:20])[0])
        command = head[4:16].rstrip(b"\0").decode()
        if command == "ping":
            self.say("pong", payload)
        return command, payload

    def until(self, command):
        while True:
            heard, payload = self.hear()
            if heard == command:
                return payload

    def fence(self):
        """Wait until the node has answered all that came before."""
        self.pings += 1
        nonce = struct.pack("<Q", self.pings)
        self.say("ping", nonce)
        while self.until("pong") != nonce:
            pass

    def headers(self):
        """The hashes of the chain, which is believed."""
        self.say("getheaders", struct.pack("<IB", 70015, 1) + GENESIS +
                 bytes(32))
        payload = self.until("headers")
        at = 3 if payload[0] == 0xfd else 1
        return [sha256d(payload[i:i + 80])
                for i in range(at, len(payload), 81)]

    def sync(self, at_a_time=50, loads=True, **filter_):
        hashes = self.headers()
        if loads:
            self.say("filterload", filterload(**filter_))
        for i in range(0, len(hashes), at_a_time):
            self.say("getdata", getdata(hashes[i:i + at_a_time]))
            self.fence()
