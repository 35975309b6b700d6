"""Sits between a client and a node, so that a test can stop the flow at an
exact byte instead of sleeping and hoping."""

import contextlib
import socket
import threading


class Tap:
    """Listens on `address` and forwards to a server and back.

    The server's side of the first connection is cut after `limit` bytes: then
    `reached` is set, and the connection stays open in silence, or is closed
    with `hang_up`. Connections that are opened later pass freely, and break_all
    cuts those there are.
    """

    def __init__(self, server, limit, hang_up=False):
        self.target = ("127.0.0.1", server.port)
        self.limit, self.hang_up = limit, hang_up
        self.ends = []
        self.reached, self.over = threading.Event(), threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]

    def __enter__(self):
        self.run(self.accept)
        return self

    def __exit__(self, *_):
        self.over.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    @staticmethod
    def run(work, *args):
        threading.Thread(target=work, args=args, daemon=True).start()

    def accept(self):
        limit = self.limit
        while not self.over.is_set():
            with contextlib.suppress(OSError):
                client, _ = self.listener.accept()
                server = socket.create_connection(self.target)
                self.ends += [client, server]
                self.run(self.forward, client, server)
                self.run(self.forward, server, client, limit)
                limit = None

    def forward(self, source, sink, limit=None):
        """Pass bytes on until either side ends or the limit is reached."""
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data[:limit])
                if limit is not None and len(data) >= limit:
                    self.cut()
                    break
                limit = limit and limit - len(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def break_all(self):
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.ends = []

    def cut(self):
        self.reached.set()
        if not self.hang_up:
            self.over.wait()
