"""What tests of saved filters have in common."""

import resource
import struct
import subprocess

from program import PROGRAM, ProgramTest

KINDS = ("bloom", "counting", "scalable", "rolling", "cuckoo")
NEVER_MERGED = ("scalable", "rolling")
HASHINGS = ("double", "bip37", "blocked")
HEADER = 128


def lines(*ranges):
    return "".join(f"https://example.org/{i}\n" for r in ranges for i in r)


MOST = (1 << 64) - 1


def rotate(x, by):
    return (x << by | x >> 64 - by) & MOST


def mixed(k):
    for factor in (0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53):
        k = (k ^ k >> 33) * factor & MOST
    return k ^ k >> 33


def checksum(data):
    """The first half of MurmurHash3 x64 128 with seed 0."""
    a = b = 0
    c, d = 0x87c37b91114253d5, 0x4cf5ad432745937f
    padded = data + bytes(-len(data) % 16)
    for at in range(0, len(padded), 16):
        x, y = struct.unpack_from("<QQ", padded, at)
        a ^= rotate(x * c & MOST, 31) * d & MOST
        b_in = rotate(y * d & MOST, 33) * c & MOST
        if at + 16 > len(data):
            b ^= b_in
            break
        a = ((rotate(a, 27) + b) * 5 + 0x52dce729) & MOST
        b = ((rotate(b ^ b_in, 31) + a) * 5 + 0x38495ab5) & MOST
    a, b = a ^ len(data), b ^ len(data)
    a = (a + b) & MOST
    b = (b + a) & MOST
    return (mixed(a) + mixed(b)) & MOST


def sealed(file, length=None):
    """A saved filter with right checksums, whatever else is in it."""
    file = bytearray(file)
    payload = bytes(file[HEADER:])
    struct.pack_into("<QQ", file, 16, len(payload) if length is None else
                     length, checksum(payload))
    struct.pack_into("<Q", file, 120, checksum(bytes(file[:120])))
    return bytes(file)


def with_parameter(file, i, value):
    file = bytearray(file)
    struct.pack_into("<Q", file, 32 + 8 * i, value)
    return sealed(file)


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))


def runs_with_little_memory():
    """Sanitizers want terabytes of addresses for themselves."""
    return subprocess.run([PROGRAM, "--version"], preexec_fn=little_memory,
                          capture_output=True).returncode == 0


class SavedTest(ProgramTest):
    def build(self, name, text, *args, elements=1000, rate="0.001"):
        return self.document("filter", "build", "--text", "--elements",
                             elements, "--fp-rate", rate, "--out", name, *args,
                             stdin=text)

    def found(self, name, text, *args):
        return self.text("filter", "test", name, "--text", *args, stdin=text)

    def show(self, name, *args):
        return self.document("filter", "show", name, *args)

    def bytes_of(self, name):
        return (self.home / name).read_bytes()
