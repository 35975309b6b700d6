"""A node with an empty chain, of any network: it greets, and answers `ping` and
`getheaders`. It hangs up on filters, unless told not to, and on whoever is of
another network."""

import hashlib
import socket
import struct
import threading

MAGIC = {"main": bytes.fromhex("f9beb4d9"),
         "regtest": bytes.fromhex("fabfb5da"),
         "signet": bytes.fromhex("0a03cf40"),
         "testnet4": bytes.fromhex("1c163f28")}
NODE_NETWORK, NODE_BLOOM = 1, 4


def frame(magic, command, payload=b""):
    check = hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    return (magic + command.encode().ljust(12, b"\0") +
            struct.pack("<I", len(payload)) + check + payload)


def version(services):
    return (struct.pack("<iQq", 70015, services, 0) + bytes(52) +
            struct.pack("<Q", 7) + b"\x06/fake/" + struct.pack("<i?", 0, True))


class FakeNode:
    """Listens until it is closed; a thread each connection."""

    def __init__(self, chain="regtest", services=NODE_NETWORK | NODE_BLOOM,
                 speaks_first=False, hangs_up=True, place=("127.0.0.1", 0)):
        self.magic, self.services = MAGIC[chain], services
        self.speaks_first, self.hangs_up = speaks_first, hangs_up
        self.server = socket.create_server(place)
        self.address = "%s:%d" % self.server.getsockname()
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()

    def accept(self):
        while True:
            try:
                peer, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,),
                             daemon=True).start()

    def serve(self, peer):
        with peer:
            try:
                self.converse(peer)
            except (OSError, ConnectionError):
                pass

    def converse(self, peer):
        if self.speaks_first:
            peer.sendall(frame(self.magic, "version", version(self.services)))
        while True:
            head = self.read(peer, 24)
            payload = self.read(peer, struct.unpack("<I", head[16:20])[0])
            if head[:4] != self.magic:
                return
            self.answer(peer, head[4:16].rstrip(b"\0").decode(), payload)

    def read(self, peer, n):
        got = b""
        while len(got) < n:
            more = peer.recv(n - len(got))
            if not more:
                raise ConnectionError
            got += more
        return got

    def answer(self, peer, command, payload):
        if command == "version":
            peer.sendall(
                frame(self.magic, "version", version(self.services)) +
                frame(self.magic, "verack"))
        elif command == "ping":
            peer.sendall(frame(self.magic, "pong", payload))
        elif command == "getheaders":
            peer.sendall(frame(self.magic, "headers", b"\0"))
        elif command.startswith("filter") and self.hangs_up:
            raise ConnectionError
