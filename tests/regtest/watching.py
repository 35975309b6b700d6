"""A `watch` that runs beside a test, and what it tells."""

import json
import queue
import signal
import threading
import time

PATIENCE = 60  # seconds, for what takes one


class Watch:
    """A running `watch`, and the events that were not asked about yet."""

    def __init__(self, client, *options):
        self.began = time.monotonic()
        self.process = client.start("watch", *options)
        self.queue, self.events = queue.Queue(), []
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def read(self):
        for line in self.process.stdout:
            self.queue.put(json.loads(line))

    def wait(self, event, patience=PATIENCE, **keys):
        """The next such event; those before it are passed over."""
        deadline = time.monotonic() + patience
        while True:
            try:
                left = max(0, deadline - time.monotonic())
                told = self.queue.get(timeout=left)
            except queue.Empty:
                raise AssertionError(
                    f"no {event} {keys} within {patience} s, but "
                    f"{[e['event'] for e in self.events[-20:]]}") from None
            self.events.append(told)
            if told["event"] == event and keys.items() <= told.items():
                return told

    def end(self, how=signal.SIGINT):
        """Exit code, and all that is left to be told."""
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        while not self.queue.empty():
            self.events.append(self.queue.get())
        return code
