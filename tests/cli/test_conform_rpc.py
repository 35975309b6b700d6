"""What --rpc does before a node is looked at, against servers that are none."""

import base64
import http.server
import json
import signal
import subprocess
import threading
import time
import unittest

from program import LIMIT_SECONDS, PROGRAM, ProgramTest

GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
GENESIS_TIME = 1296688602
PASSWORD = "correct horse"
NOWHERE = "127.0.0.1:1"  # nothing listens there
SOON_SECONDS = 15  # far less than one call may take
OBEYED = "\x1b[31mred\x1b]0;title\x07\r\n\u202e\u009b"
SHOWN = "?[31mred?]0;title????????"  # each byte that is no printable ASCII


class Server(http.server.ThreadingHTTPServer):
    """Answers as a node's RPC does, with what a test puts into `results`; what
    it was asked is in `calls`."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.calls, self.users, self.wants = [], set(), None
        self.heads = []
        self.body = None  # of all answers
        self.raw = None  # the same, with its head
        self.hangs = None  # a method
        self.hanging, self.released = threading.Event(), threading.Event()
        self.results = {
            "getblockchaininfo": {"chain": "regtest", "blocks": 0,
                                  "bestblockhash": GENESIS},
            "getblockheader": {"time": GENESIS_TIME},
            "getrawmempool": lambda: [GENESIS] * sum(
                method == "sendrawtransaction" for method, _ in self.calls),
        }
        self.errors = {}

    def answer(self, method, params):
        if method in self.errors:
            words = self.errors[method]
            if callable(words):
                words = words()
            return {"result": None, "error": {"code": -1, "message": words}}
        result = self.results.get(method)
        if callable(result):
            result = result(*params)
        return {"result": result, "error": None, "id": 1}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in one piece: in two, each waits for an ack

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        token = self.headers.get("Authorization", " ").split(" ")[1]
        user = base64.b64decode(token).decode()
        self.server.users.add(user)
        self.server.calls.append((asked["method"], asked["params"]))
        if self.server.wants not in (None, user):
            return self.reply(401, b"")
        if asked["method"] == self.server.hangs:
            self.server.hanging.set()
            self.server.released.wait()
        if self.server.raw is not None:
            self.close_connection = True
            return self.wfile.write(self.server.raw)
        if self.server.body is not None:
            return self.reply(200, self.server.body)
        self.server.heads.append(str(self.headers))
        answer = self.server.answer(asked["method"], asked["params"])
        return self.reply(500 if answer["error"] else 200,
                          json.dumps(answer).encode())

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Rpc(ProgramTest):
    def setUp(self):
        super().setUp()
        self.server = Server()
        serving = threading.Thread(target=self.server.serve_forever,
                                   kwargs={"poll_interval": 0.01})
        serving.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(serving.join)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.released.set)
        self.port = self.server.server_port

    def url(self, user=""):
        return f"http://{user}127.0.0.1:{self.port}"

    def conform(self, *args):
        return ("--regtest", "conform", "--connect", NOWHERE, *args)

    def calls(self, method):
        return [params for name, params in self.server.calls if name == method]

    def test_a_node_is_given_blocks_and_half_of_the_transactions(self):
        self.failure(5, *self.conform("--rpc", self.url(), "--seed", "7"))
        blocks = self.calls("submitblock")
        self.assertGreater(len(blocks), 2 * 450)  # `failure` runs it twice
        self.assertEqual(len(self.calls("sendrawtransaction")), 2 * 12)
        self.assertEqual(blocks[0][0][8:72],
                         bytes.fromhex(GENESIS)[::-1].hex())
        self.assertEqual(self.calls("getblockheader")[0], [GENESIS, True])

    def test_a_block_that_is_refused_is_told_with_the_reason(self):
        self.server.results["submitblock"] = lambda block: "bad-taste"
        error = self.failure(11, *self.conform("--rpc", self.url()))
        self.assertIn("refuses block 1, which is valid: bad-taste",
                      error["message"])

    def test_a_transaction_that_is_refused_is_done_without(self):
        self.server.errors["sendrawtransaction"] = "not today"
        answer = self.run_program(*self.conform("--rpc", self.url()))
        self.assertEqual(answer.code, 5, answer.err)
        self.assertEqual(answer.err.count("sendrawtransaction with: not today"),
                         12)

    def test_no_other_network_is_given_anything(self):
        error = self.failure(2, "--signet", "conform", "--connect", NOWHERE,
                             "--rpc", self.url())
        self.assertIn("on regtest alone: this is signet", error["message"])
        self.assertEqual(self.server.calls, [])
        self.server.results["getblockchaininfo"]["chain"] = "main"
        error = self.failure(2, *self.conform("--rpc", self.url()))
        self.assertIn("on regtest alone: this is main", error["message"])
        self.assertEqual(self.calls("submitblock"), [])

    def test_user_and_password_come_in_the_url_or_in_a_file(self):
        cookie = self.home / "cookie"
        cookie.write_text(f"__cookie__:{PASSWORD}\n")
        in_url = self.url("me:correct%20horse@")
        for options, env, user in (
                (("--rpc", in_url), {}, "me"),
                ((), {"SPVCLIENT_RPC": in_url}, "me"),
                (("--rpc", self.url(), "--rpc-cookie", cookie), {},
                 "__cookie__")):
            with self.subTest(options=options, env=env):
                self.server.users.clear()
                answer = self.run_program(*self.conform(*options), env=env)
                self.assertEqual(answer.code, 5, answer.err)
                self.assertEqual(self.server.users, {f"{user}:{PASSWORD}"})

    def test_they_may_stand_in_the_settings_file(self):
        self.data.mkdir(parents=True)
        (self.data / "spvclient.conf").write_text(
            f"[regtest]\nrpc={self.url('me:secret@')}\n")
        self.run_program(*self.conform())
        self.assertEqual(self.server.users, {"me:secret"})

    def test_a_password_is_never_told(self):
        url = self.url("me:hunter2@")
        self.server.wants = "somebody:else"
        refused = self.failure(4, *self.conform("--rpc", url))
        self.assertIn(f"127.0.0.1:{self.port}", refused["message"])
        said = [str(refused)]
        said += [str(self.failure(code, *self.conform("--rpc", bad,
                                                      "--log-level", "debug")))
                 for code, bad in ((5, "http://me:hunter2@127.0.0.1:1"),
                                   (2, "http://me:hunter2@127.0.0.1:port"),
                                   (2, "ftp://me:hunter2@127.0.0.1:1"),
                                   (2, "me:hunter2@127.0.0.1:1"))]
        self.server.wants, self.server.body = None, b"hunter?"
        said.append(str(self.failure(11, *self.conform("--rpc", url))))
        for words in said:
            self.assertNotIn("hunter2", words)

    def test_a_password_that_comes_back_is_not_told(self):
        cookie = self.home / "cookie"
        cookie.write_text("__cookie__:hunter2\n")
        echoes = (lambda: self.server.heads[-1],
                  lambda: "x" * 190 + self.server.heads[-1],
                  lambda: "you are me:hunter2")
        for options in (("--rpc", self.url("me:hunter2@")),
                        ("--rpc", self.url("longer:hunter2@")),
                        ("--rpc", self.url(), "--rpc-cookie", cookie)):
            for echo in echoes:
                with self.subTest(options=options):
                    self.server.errors["getblockchaininfo"] = echo
                    error = self.failure(1, *self.conform(*options))
                    self.assertIn("getblockchaininfo", error["message"])
                    token = self.server.heads[-1].split("Basic ")[1].split()[0]
                    for secret in ("hunter2", token, token.rstrip("=")):
                        self.assertNotIn(secret, error["message"])
        self.server.errors.clear()
        self.server.results["getblockchaininfo"]["chain"] = "hunter2"
        self.assertNotIn("hunter2", str(self.failure(
            2, *self.conform("--rpc", self.url("me:hunter2@")))))

    def test_a_password_that_ends_the_authority_is_not_told(self):
        for password in ("12345/S3cret", "12345?S3cret", "12345#S3cret",
                         "S3cret/1", "12345/S3cret@x/..", "a/S3cret?#"):
            with self.subTest(password=password):
                error = self.failure(2, *self.conform(
                    "--rpc", f"http://u:{password}@127.0.0.1:{self.port}"))
                self.assertIn("percent-encode / ? # @", error["hint"])
                for part in ("12345", "S3cret", "a/"):
                    self.assertNotIn(part, str(error).replace("/ ?", ""))
        self.assertEqual(self.server.calls, [])
        self.run_program(*self.conform("--rpc",
                                       self.url("u:1%2F2%3F3%234%405@")))
        self.assertEqual(self.server.users, {"u:1/2?3#4@5"})

    def test_words_of_the_node_do_not_command_the_terminal(self):
        self.server.results["submitblock"] = lambda block: OBEYED
        error = self.failure(11, *self.conform("--rpc", self.url()))
        self.assertTrue(error["message"].endswith(SHOWN), error)
        self.server.results["submitblock"] = None
        self.server.errors["sendrawtransaction"] = OBEYED
        answer = self.run_program(*self.conform("--rpc", self.url()))
        self.assertEqual(answer.err.count(f"with: {SHOWN}\n"), 12, answer.err)
        self.server.errors["getblockchaininfo"] = "y" * 1000
        error = self.failure(1, *self.conform("--rpc", self.url()))
        self.assertEqual(error["message"].count("y" * 200 + "..."), 1)
        del self.server.errors["getblockchaininfo"]
        self.server.results["getblockchaininfo"]["chain"] = OBEYED
        error = self.failure(2, *self.conform("--rpc", self.url()))
        self.assertTrue(error["message"].endswith(SHOWN), error)

    def test_an_interrupt_ends_a_call_that_hangs(self):
        for method in ("getblockchaininfo", "submitblock",
                       "sendrawtransaction", "getrawmempool"):
            with self.subTest(method=method):
                self.server.hangs = method
                self.server.hanging.clear()
                with subprocess.Popen(
                        [PROGRAM, *self.conform("--rpc", self.url())],
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        env=self.environment({}), cwd=self.home) as run:
                    try:
                        self.server.hanging.wait(LIMIT_SECONDS)
                        run.send_signal(signal.SIGINT)
                        _, err = run.communicate(timeout=SOON_SECONDS)
                    finally:
                        run.kill()
                self.assertEqual(run.returncode, 130, err)
                self.assertIn(b"interrupted", err)

    def test_time_is_for_all_calls_together(self):
        for method in ("getblockheader", "submitblock", "sendrawtransaction",
                       "getrawmempool"):
            with self.subTest(method=method):
                self.server.hangs = method
                began = time.monotonic()
                answer = self.run_program(
                    *self.conform("--rpc", self.url(), "--timeout", "2"))
                self.assertEqual(answer.code, 6, answer.err)
                self.assertIn("--timeout gives it longer", answer.err)
                self.assertLess(time.monotonic() - began, SOON_SECONDS)
        self.server.hangs = None
        self.server.results["submitblock"] = lambda block: time.sleep(0.5)
        answer = self.run_program(
            *self.conform("--rpc", self.url(), "--timeout", "2"))
        self.assertEqual(answer.code, 6, answer.err)

    def test_a_node_that_goes_is_not_called_again(self):
        def go():
            self.server.raw = b""
            return "never sent"

        self.server.errors["sendrawtransaction"] = go
        answer = self.run_program(*self.conform("--rpc", self.url()))
        self.assertEqual(answer.code, 5, answer.err)
        self.assertEqual(answer.err.count("no RPC server"), 1, answer.err)
        self.assertLessEqual(len(self.calls("sendrawtransaction")), 3)

    def test_numbers_that_no_chain_has_are_refused(self):
        info = self.server.results["getblockchaininfo"]
        for height in (-1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 7,
                       2 ** 63 - 1):
            with self.subTest(height=height):
                info["blocks"] = height
                error = self.failure(11, *self.conform("--rpc", self.url()))
                self.assertIn(f"height {height},", error["message"])
        info["blocks"] = 0
        for seconds in (-1, 2 ** 32):
            with self.subTest(time=seconds):
                self.server.results["getblockheader"] = {"time": seconds}
                error = self.failure(11, *self.conform("--rpc", self.url()))
                self.assertIn(f"time {seconds},", error["message"])
        self.assertEqual(self.calls("submitblock"), [])

    def test_an_answer_that_is_no_http_is_said_to_be_none(self):
        for raw in (b"\x00\x01\x02\x03" * 100, b"SSH-2.0-OpenSSH_9.2\r\n"):
            with self.subTest(raw=raw):
                self.server.raw = raw
                error = self.failure(11, *self.conform("--rpc", self.url()))
                self.assertIn("not in HTTP", error["message"])
                self.assertNotIn("running", str(error["hint"]))

    def test_an_answer_that_is_too_long_is_said_to_be_so(self):
        self.server.body = b" " * ((16 << 20) + 1)
        error = self.failure(11, *self.conform("--rpc", self.url()))
        self.assertIn("more than 16 MiB", error["message"])
        self.assertIsNone(error["hint"])

    def test_what_is_no_node_is_said_to_be_none(self):
        for body in (b"", b"<html>", b"[]", b'{"result": {}, "error": null}',
                     b'{"result": {"chain": "regtest", "blocks": 0,'
                     b' "bestblockhash": "00"}}'):
            with self.subTest(body=body):
                self.server.body = body
                self.failure(11, *self.conform("--rpc", self.url()))

    def test_a_node_that_answers_with_an_error_is_quoted(self):
        self.server.errors["getblockchaininfo"] = "Loading block index"
        error = self.failure(1, *self.conform("--rpc", self.url()))
        self.assertIn("getblockchaininfo with: Loading block index",
                      error["message"])

    def test_a_cookie_that_is_none_is_refused(self):
        (self.home / "no").write_text("nothing\n")
        for code, path in ((3, "absent"), (2, "no")):
            self.failure(code, *self.conform("--rpc", self.url(),
                                             "--rpc-cookie", path))

    def test_proxies_of_other_programs_do_not_count(self):
        answer = self.run_program(
            *self.conform("--rpc", self.url()),
            env={"http_proxy": "http://127.0.0.1:1",
                 "ALL_PROXY": "http://127.0.0.1:1"})
        self.assertEqual(answer.code, 5, answer.err)
        self.assertTrue(self.calls("submitblock"))


if __name__ == "__main__":
    unittest.main()
