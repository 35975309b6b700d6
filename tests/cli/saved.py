"""What tests of saved filters have in common."""

from program import ProgramTest

KINDS = ("bloom", "counting", "scalable", "rolling", "cuckoo")
NEVER_MERGED = ("scalable", "rolling")
HASHINGS = ("double", "bip37", "blocked")
HEADER = 128


def lines(*ranges):
    return "".join(f"https://example.org/{i}\n" for r in ranges for i in r)


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
