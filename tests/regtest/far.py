"""A node far away: a proxy on 127.0.0.1 that hands every byte on later.

usage: far.py PORT DELAY_MS [LOSS]       prints the port it listens on

Each direction has the delay, so a round trip takes twice as long; no byte
overtakes another. LOSS is the share of pieces that get lost on the way and, as
TCP would have it, come a round trip later, and all behind them too.

A kernel does this better, in a network namespace (`ip netns`) with a queue that
delays (`tc qdisc add dev ... netem delay 50ms loss 2%`). Many machines that
tests run on have neither: "Specified qdisc kind is unknown", says tc.
"""

import asyncio
import random
import subprocess
import sys

from node import die_with_parent

PIECE = 1 << 16
UNDER_WAY = 64  # pieces; then the sender has to wait


class Line:
    """One direction of a connection."""

    def __init__(self, delay, loss, chance):
        self.delay, self.loss, self.chance = delay, loss, chance
        self.pieces = asyncio.Queue(UNDER_WAY)
        self.clock = asyncio.get_running_loop().time

    async def take(self, reader):
        while piece := await reader.read(PIECE):
            late = 2 * self.delay if self.chance.random() < self.loss else 0
            await self.pieces.put((self.clock() + self.delay + late, piece))
        await self.pieces.put((self.clock() + self.delay, b""))

    async def give(self, writer):
        while True:
            due, piece = await self.pieces.get()
            await asyncio.sleep(max(0, due - self.clock()))
            if not piece:
                return
            writer.write(piece)
            await writer.drain()


class Proxy:
    def __init__(self, port, delay, loss):
        self.port, self.delay, self.loss = port, delay, loss
        self.chance = random.Random(1)

    async def carry(self, reader, writer):
        line = Line(self.delay, self.loss, self.chance)
        taking = asyncio.create_task(line.take(reader))
        try:
            await line.give(writer)
        finally:
            taking.cancel()

    async def serve(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(
                "127.0.0.1", self.port)
        except OSError:  # the node is gone
            writer.close()
            return
        ways = [asyncio.create_task(self.carry(reader, far_writer)),
                asyncio.create_task(self.carry(far_reader, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for end in (writer, far_writer):
            end.close()

    async def run(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


class Far:
    """A server as seen from far away: the proxy, and its `address`."""

    def __init__(self, server, delay_ms, loss=0.0):
        self.command = [sys.executable, __file__, str(server.port),
                        str(delay_ms), str(loss)]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            text=True, preexec_fn=die_with_parent)
        self.address = f"127.0.0.1:{int(self.process.stdout.readline())}"
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate()


def main():
    port, delay = int(sys.argv[1]), float(sys.argv[2]) / 1000
    loss = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    try:
        asyncio.run(Proxy(port, delay, loss).run())
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
