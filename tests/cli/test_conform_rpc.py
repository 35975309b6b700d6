"""What --rpc does before a node is looked at, against servers that are none."""

import base64
import http.server
import json
import threading
import unittest

from program import ProgramTest

GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
GENESIS_TIME = 1296688602
PASSWORD = "correct horse"
NOWHERE = "127.0.0.1:1"  # nothing listens there


class Server(http.server.ThreadingHTTPServer):
    """Answers as a node's RPC does, with what a test puts into `results`; what
    it was asked is in `calls`."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.calls, self.users, self.wants = [], set(), None
        self.body = None
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
            return {"result": None, "error": {"code": -1,
                                              "message": self.errors[method]}}
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
        if self.server.body is not None:
            return self.reply(200, self.server.body)
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
