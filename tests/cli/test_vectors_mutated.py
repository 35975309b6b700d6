"""Vectors are outside bytes: whatever a vector of any kind holds in place of
any of its values, the program answers, and what a kind needs must be there."""

import copy
import json
import unittest

from program import ROOT, ProgramTest

CORPUS = ROOT / "tests/vectors"
DELETED = object()
ODD = (DELETED, None, True, 0, 1, -1, 2016, 2 ** 31 - 1, 2 ** 32, -2 ** 63,
       2 ** 63 - 1, 0.5, -1e308, 1e308, "", "00", "0", "ff" * 32, "00" * 80,
       "9" * 30, "all", "regtest", "m/0", "filterload", "a" * 5000, [], [0],
       [{}], ["00"] * 9, {}, {"hex": "00", "op": "insert"})
MOST_OF_A_LIST = 2  # elements of a list that are changed
LONGEST = 160 * 100  # digits of a text: 100 headers


def documents():
    for path in sorted(CORPUS.glob("*.json")):
        document = json.loads(path.read_text())
        if isinstance(document, dict):
            document = [{"kind": "checkpoint_entry", "id": "checkpoint",
                         "network": "main", **entry}
                        for entry in document["networks"]["main"][:3]]
        yield document


def smallest_of_each_kind():
    found = {}
    for document in documents():
        for vector in document:
            size = len(json.dumps(vector))
            if size < found.get(vector["kind"], (size + 1,))[0]:
                found[vector["kind"]] = size, vector
    return {kind: {key: value[:LONGEST] if isinstance(value, str) else value
                   for key, value in vector.items()}
            for kind, (_, vector) in found.items()}


def places(value, depth=3):
    """Paths to all values in a value."""
    if depth == 0:
        return
    keys = (list(value) if isinstance(value, dict) else
            range(min(len(value), MOST_OF_A_LIST)) if isinstance(value, list)
            else ())
    for key in keys:
        yield (key,)
        for rest in places(value[key], depth - 1):
            yield (key, *rest)


def changed(vector, place, odd):
    vector = copy.deepcopy(vector)
    at = vector
    for key in place[:-1]:
        at = at[key]
    if odd is DELETED:
        del at[place[-1]]
    else:
        at[place[-1]] = odd
    return vector


def cut(vector, place):
    """The same with a text at `place` cut in half, or a digit of it changed."""
    at = vector
    for key in place:
        at = at[key]
    if not isinstance(at, str) or not at:
        return
    half = len(at) // 4 * 2
    yield changed(vector, place, at[:half])
    yield changed(vector, place, at[:-2])
    yield changed(vector, place, at + "00")
    yield changed(vector, place, at[:half] + ("1" if at[half] == "0" else "0")
                  + at[half + 1:])


class Mutated(ProgramTest):
    def outcomes(self, vectors):
        """Whether each passed, in order."""
        path = self.home / "mutated.json"
        path.write_text(json.dumps(vectors))
        answer = self.run_program("--json", "--verbose", "conform", "vectors",
                                  path)
        self.assertFalse(answer.err)
        self.assertEqual(answer.code, 1)
        document = json.loads(answer.out)
        self.assertEqual([f["error"] for f in document["files"]], [None])
        self.assertEqual(len(document["vectors"]), len(vectors))
        return [v["result"] == "pass" for v in document["vectors"]]

    def test_odd_values_anywhere_do_no_harm(self):
        seen = 0
        for kind, vector in smallest_of_each_kind().items():
            vectors = [{"id": "fails", "kind": kind}]
            odds = ODD[::6] if "mnemonic" in vector else ODD  # slow ones
            for place in places(vector):
                vectors += [changed(vector, place, odd) for odd in odds]
                vectors += cut(vector, place)
            with self.subTest(kind=kind):
                self.assertFalse(self.outcomes(vectors)[0])
            seen += 1
        self.assertGreaterEqual(seen, 80)


if __name__ == "__main__":
    unittest.main()
