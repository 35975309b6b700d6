#!/usr/bin/env python3
"""recheck.py can fail: of every kind, what is compared is looked at."""

import json
import re
import unittest

import recheck

# Fields that say what to compute, or nothing: changing them need not fail.
NOT_COMPARED = {
    "id", "kind", "source", "why", "note", "n_elements", "fp_rate", "tweak",
    "flags", "size_bound", "wif", "pubkey", "hash160", "script_pubkey",
    "hash_funcs_if_division_were_floating_point", "filter_bytes", "hash_funcs",
    "element_bytes", "payload", "filterload_payload",
}


def bent(value):
    """A value like it that is another."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and re.fullmatch("([0-9a-f]{2})+", value):
        return value[:-1] + ("1" if value[-1] == "0" else "0")
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return [*value[:-1], bent(value[-1])]
    *_, last = value  # of an object: what is expected stands last
    return {**value, last: bent(value[last])}


def passes(vector):
    try:
        recheck.KINDS[vector["kind"]](vector)
    except Exception:  # whatever a bent vector leads to
        return False
    return True


class Recheck(unittest.TestCase):
    def test_a_bent_vector_is_noticed_whichever_field_is_bent(self):
        first = {}
        for name in recheck.FILES:
            path = recheck.pathlib.Path(__file__).parent / f"{name}.json"
            for vector in json.loads(path.read_text()):
                first.setdefault(vector["kind"], vector)
        self.assertEqual(set(first), set(recheck.KINDS))
        for kind, vector in first.items():
            self.assertTrue(passes(vector))
            for field in vector.keys() - NOT_COMPARED:
                if vector[field] in ([], ""):
                    continue
                with self.subTest(kind=kind, field=field):
                    self.assertFalse(passes(
                        {**vector, field: bent(vector[field])}))


if __name__ == "__main__":
    unittest.main()
