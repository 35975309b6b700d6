"""A real browser, told what to do over a pipe (Chrome's DevTools protocol)."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome",
         "google-chrome-stable")
LIMIT_SECONDS = 60


def find():
    """The program, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One window. It sees a page as it is given, with no network to ask."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.buffer, self.events, self.number = b"", [], 0
        self.session = None
        there, self.told = os.pipe()
        self.heard, here = os.pipe()
        try:
            self.process = subprocess.Popen(
                ["sh", "-c", f'exec "$@" 3<&{there} 4>&{here}', "sh", program,
                 "--headless", "--no-sandbox", "--disable-gpu",
                 "--remote-debugging-pipe", "--no-first-run",
                 "--disable-background-networking",
                 f"--user-data-dir={self.folder.name}"],
                pass_fds=(there, here), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        finally:
            os.close(there)
            os.close(here)
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.told)
        os.close(self.heard)
        self.folder.cleanup()

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.told, json.dumps(message).encode() + b"\0")
        answer = self.wait(lambda m: m.get("id") == self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait(self, is_it):
        until = time.monotonic() + LIMIT_SECONDS
        while True:
            message = self.hear(until)
            if is_it(message):
                return message

    def hear(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.heard], [], [],
                                 max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.heard, 1 << 16)
            if not chunk:
                raise EOFError("the browser ended")
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def show(self, url, width, height=800, scheme="light"):
        """Load a page into a window of that size; what happened meanwhile."""
        self.events.clear()
        self.ask("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=url)
        if not self.happened("Page.loadEventFired"):
            self.wait(lambda m: m.get("method") == "Page.loadEventFired")

    def happened(self, method):
        return [e["params"] for e in self.events if e["method"] == method]

    def value_of(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression,
                          returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"]["value"]
