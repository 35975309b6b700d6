"""`conform serve`, run by a test."""

import concurrent.futures
import json
import subprocess
import unittest

from program import PROGRAM, ProgramTest

SERVE_SECONDS = 40
AT_ONCE = 6
CODES = {"pass": 0, "fail": 1, "skipped": 6}


class Server:
    """`spvclient conform serve`, from its first line to its report."""

    def __init__(self, test, *scenarios, more=()):
        names = [x for name in scenarios for x in ("--scenario", name)]
        self.process = subprocess.Popen(
            [PROGRAM, "conform", "serve", "--json", "--timeout",
             str(SERVE_SECONDS), *names, *more], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=test.environment({}), cwd=test.home)
        self.first = json.loads(self.process.stdout.readline())
        self.at = [node["address"] for node in self.first["listening"]]
        self.truth = self.first["truth"]

    def report(self):
        out, err = self.process.communicate(timeout=SERVE_SECONDS + 10)
        self.code = self.process.returncode
        self.err = err.decode()
        return json.loads(out)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def failed(node):
    return {check["id"] for check in node["checks"]
            if check["result"] == "fail"}


class ServeTest(ProgramTest):
    def serve(self, *scenarios, more=()):
        server = Server(self, *scenarios, more=more)
        self.addCleanup(server.stop)
        return server


class SideBySide(unittest.TestSuite):
    """Tests that wait for the most part: several at once."""

    def run(self, result, debug=False):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for one in pool.map(lambda test: test.run(unittest.TestResult()),
                                self):
                result.testsRun += one.testsRun
                result.failures += one.failures
                result.errors += one.errors
        return result


def main():
    loader = unittest.TestLoader()
    loader.suiteClass = SideBySide
    unittest.main(testLoader=loader)
