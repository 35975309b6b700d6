"""Real BIP-37 servers for tests: private, on free ports, gone when done.

    with Node() as node:
        node.mine(101)
        print(node.call("getblockcount"))

A Node is a bitcoind in regtest mode (tools/fetch-node finds one), a Bcoin the
same for bcoin. Each has a folder of its own below the system's temp folder;
`address` is where its peers connect to.
"""

import atexit
import base64
import ctypes
import http.client
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from decimal import Decimal

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRANGER = "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202"  # nobody's key
STRANGER_OUTPUT = "160014" + "00" * 20  # its script, as in a transaction
START_SECONDS = 60
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


class Unavailable(Exception):
    """This machine has no such program, and none could be fetched."""


class RpcError(Exception):
    """The server answered a call with an error."""


def fetch(tool):
    """The path that tools/TOOL prints."""
    found = subprocess.run([ROOT / "tools" / tool], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    if found.returncode:
        raise Unavailable(found.stderr.strip().splitlines()[-1])
    return found.stdout.strip()


def to_sat(amount):
    """Satoshi of an amount that an RPC shows in whole coins."""
    return int(Decimal(amount) * 100_000_000)


def to_coins(sat):
    """The opposite: the text that an RPC takes as an amount."""
    return str(Decimal(sat).scaleb(-8))


def free_ports(count):
    """Ports that were free a moment ago, all different."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def die_with_parent():
    """Run in a child: killed with its parent, however the parent ends."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Rpc:
    """JSON-RPC over one connection; floats arrive as Decimal."""

    def __init__(self, port, credentials=None):
        self.headers = {"Content-Type": "application/json"}
        if credentials:
            token = base64.b64encode(credentials.encode()).decode()
            self.headers["Authorization"] = f"Basic {token}"
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def call(self, method, *args, path="/", **named):
        body = json.dumps({"id": 0, "method": method,
                           "params": named or list(args)}, default=str)
        try:
            text = self.exchange(path, body)
        except (http.client.HTTPException, ConnectionError):
            self.http.close()  # an idle connection may have been closed
            text = self.exchange(path, body)
        answer = json.loads(text, parse_float=Decimal)
        if answer.get("error"):
            raise RpcError(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def exchange(self, path, body):
        self.http.request("POST", path, body, self.headers)
        return self.http.getresponse().read()


class Server:
    """A child process with a folder, a peer port and an RPC port."""

    name = "server"
    stranger = STRANGER
    stop_seconds = 30

    def __init__(self, *extra):
        self.extra = extra
        self.process = self.folder = self.rpc = None
        self.blocks = {}

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.program = self.find()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.name}-"))
        atexit.register(self.stop)
        try:
            self.port, self.rpc_port = free_ports(2)
            self.launch()
        except BaseException:
            self.stop()
            raise

    def launch(self):
        """Run the program in its folder; also again, after `halt`."""
        self.log = self.folder / "output"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, *self.options(), *self.extra],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, preexec_fn=die_with_parent)
        self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                self.rpc = self.connect()
                self.rpc.call("getblockcount")
                # bcoin listens to peers some time after that.
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except (OSError, RpcError, http.client.HTTPException):
                time.sleep(0.05)
        last = self.log.read_text(errors="replace").splitlines()[-5:]
        raise RuntimeError(f"{self.name} does not start: " + " / ".join(last))

    def halt(self):
        """End the program; the folder and the ports stay as they are."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(self.stop_seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.rpc:
            self.rpc.http.close()
        self.process = self.rpc = None

    def stop(self):
        atexit.unregister(self.stop)
        self.halt()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = None

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def call(self, method, *args, **named):
        return self.rpc.call(method, *args, **named)

    def mine(self, count=1, address=None):
        """Mine on the tip; the hashes of the new blocks."""
        return self.call("generatetoaddress", count, address or self.stranger)

    def chain(self):
        """Every block up to the tip, in the words of `getblock HASH 2`."""
        chain, block_hash = [], self.call("getbestblockhash")
        while block_hash:
            if block_hash not in self.blocks:
                self.blocks[block_hash] = self.read_block(block_hash)
            chain.append(self.blocks[block_hash])
            block_hash = chain[-1].get("previousblockhash")
        return chain[::-1]

    def tip(self):
        """Height and hash of the best block."""
        chain = self.call("getblockchaininfo")
        return chain["blocks"], chain["bestblockhash"]


class Node(Server):
    """A bitcoind -regtest, with a wallet "miner" once it is asked for."""

    name = "bitcoind"

    def find(self):
        return fetch("fetch-node")

    def options(self):
        return [
            "-regtest", f"-datadir={self.folder}", "-server=1",
            f"-rpcport={self.rpc_port}", "-rpcbind=127.0.0.1",
            "-rpcallowip=127.0.0.1", f"-bind=127.0.0.1:{self.port}",
            "-listen=1", "-listenonion=0", "-discover=0", "-dnsseed=0",
            "-natpmp=0", "-peerbloomfilters=1", "-whitelist=noban@127.0.0.1",
            "-fallbackfee=0.0001", "-txindex=1", "-printtoconsole=0",
            "-unsafesqlitesync=1",  # nothing here outlives the test
        ]

    def connect(self):
        cookie = self.folder / "regtest" / ".cookie"
        return Rpc(self.rpc_port, cookie.read_text())

    def wallet(self, name, **options):
        """Make a wallet of the node's own, and the calls that go to it."""
        self.call("createwallet", wallet_name=name, **options)
        return NodeWallet(self, name)

    @property
    def miner(self):
        if "miner" not in self.call("listwallets"):
            self.wallet("miner")
        return NodeWallet(self, "miner")

    def fund(self, coins=30, kind="bech32"):
        """Give the miner that many block rewards, all of them mature."""
        self.mine(coins, self.miner.call("getnewaddress", "", kind))
        self.mine(100)

    def mine_only(self, txs=(), address=STRANGER):
        """Mine a block of exactly these transactions (txid or hex)."""
        return self.call("generateblock", address, list(txs))["hash"]

    def read_block(self, block_hash):
        return self.call("getblock", block_hash, 2)

    def has(self, block_hash):
        try:
            return bool(self.call("getblockheader", block_hash))
        except RpcError:
            return False

    def feed(self, node):
        """Hand over every block of a node's chain that is not here yet."""
        (height, block_hash), missing = node.tip(), []
        while not self.has(block_hash):
            missing.append(block_hash)
            height -= 1
            block_hash = node.call("getblockhash", height)
        for block_hash in reversed(missing):
            refusal = self.call("submitblock",
                                node.call("getblock", block_hash, 0))
            if refusal not in (None, "inconclusive"):  # of less work so far
                raise RpcError(f"a node refuses {block_hash}: {refusal}")


class NodeWallet:
    """Calls to one wallet of a node."""

    def __init__(self, node, name):
        self.node, self.name, self.path = node, name, f"/wallet/{name}"

    def call(self, method, *args, **named):
        return self.node.call(method, *args, path=self.path, **named)

    def pay(self, outputs, **options):
        """Send to {address: satoshi}; the txid."""
        amounts = [{to: to_coins(sat)} for to, sat in outputs.items()]
        sent = self.call("send", outputs=amounts, fee_rate=2, options=options)
        return sent["txid"]

    def pay_script(self, script, sat):
        """Pay a script (hex) that has no address, in a block of its own, since
        nodes may refuse to relay such outputs; the coin (txid, vout)."""
        raw = self.node.call("createrawtransaction", [],
                             [{STRANGER: to_coins(sat)}])
        funded = self.call("fundrawtransaction", raw, {"fee_rate": 5})["hex"]
        ours = funded.replace(STRANGER_OUTPUT, f"{len(script) // 2:02x}{script}")
        signed = self.call("signrawtransactionwithwallet", ours)["hex"]
        tx = self.node.call("decoderawtransaction", signed)
        self.node.mine_only([signed])
        return tx["txid"], next(o["n"] for o in tx["vout"]
                                if o["scriptPubKey"]["hex"] == script)

    def empty(self, coin, address=STRANGER):
        """Spend one coin (txid, vout) whole: no change. The txid."""
        txid, vout = coin
        return self.call("sendall", recipients=[address], fee_rate=2, options={
            "inputs": [{"txid": txid, "vout": vout}]})["txid"]


class Bcoin(Server):
    """bcoin in regtest mode, all in memory, without a wallet."""

    name = "bcoin"
    stranger = "rb1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqce7sck"  # in its words

    def find(self):
        return fetch("fetch-bcoin")

    def options(self):
        return [
            "--network", "regtest", "--memory", "--prefix", str(self.folder),
            "--bip37", "--listen", "--host", "127.0.0.1",
            "--port", str(self.port), "--http-port", str(self.rpc_port),
            "--http-host", "127.0.0.1", "--discover=false", "--upnp=false",
            "--no-auth", "--no-wallet", "--workers=false", "--log-file=false",
        ]

    def connect(self):
        return Rpc(self.rpc_port)

    def read_block(self, block_hash):
        """A block in bitcoind's words, but for the fees."""
        block = self.call("getblock", block_hash, True, True)
        for output in (o for tx in block["tx"] for o in tx["vout"]):
            script = output["scriptPubKey"]
            script["address"] = next(iter(script["addresses"]), None)
        if block["height"] == 0:
            del block["previousblockhash"]
        return block

    def chain(self):
        """The whole chain tells the fees too: it has every output spent."""
        chain, values = super().chain(), {}
        for tx in (tx for block in chain for tx in block["tx"]):
            made = {(tx["txid"], o["n"]): to_sat(o["value"])
                    for o in tx["vout"]}
            values.update(made)
            if "coinbase" not in tx["vin"][0]:
                spent = sum(values[i["txid"], i["vout"]] for i in tx["vin"])
                tx["fee"] = to_coins(spent - sum(made.values()))
        return chain

    def feed(self, node):
        """Hand over every block of a node's chain that is not here yet."""
        for height in range(self.call("getblockcount") + 1, node.tip()[0] + 1):
            block = node.call("getblock", node.call("getblockhash", height), 0)
            refusal = self.call("submitblock", block)
            if refusal:
                raise RpcError(f"bcoin refuses block {height}: {refusal}")
