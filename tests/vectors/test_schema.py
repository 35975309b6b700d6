#!/usr/bin/env python3
"""The corpus, its JSON Schema and docs/vectors.md say the same.

usage: test_schema.py [unittest arguments]

Exit code 77, and a line that says so, without the module jsonschema (Debian:
python3-jsonschema).
"""

import collections
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

DEBIAN = "/usr/bin/python3"  # knows Debian's modules, which another may not

try:
    import jsonschema
except ImportError:
    if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN) and (
            subprocess.run([DEBIAN, "-c", "import jsonschema"],
                           stderr=subprocess.DEVNULL).returncode == 0):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    print("SKIPPED: python3-jsonschema is not installed, so nothing held the "
          "vectors to their schema")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCHEMA = json.loads((HERE / "schema/vectors.schema.json").read_text())
DEFS = SCHEMA["$defs"]
KINDS = {name.removeprefix("kind_"): schema for name, schema in DEFS.items()
         if name.startswith("kind_")}
IN_ALL = ["id", "kind", "source", "why"]


def documents():
    return {path: json.loads(path.read_text())
            for path in sorted(HERE.glob("*.json"))}


def vectors_of_kinds():
    found = collections.defaultdict(list)
    for document in documents().values():
        if isinstance(document, dict):
            for entries in document["networks"].values():
                found["checkpoint_entry"] += entries
        else:
            for vector in document:
                found[vector["kind"]].append(vector)
    return found


def validator(name):
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}",
                                            "$defs": DEFS})


def objects(schema):
    """All schemas of objects in a schema that name their members."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object":
            yield schema
        for inner in schema.values():
            yield from objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


class Corpus(unittest.TestCase):
    def test_every_vector_is_as_its_kind_says(self):
        seen = 0
        for kind, vectors in vectors_of_kinds().items():
            valid = validator(f"kind_{kind}")
            for vector in vectors:
                seen += 1
                for error in valid.iter_errors(vector):
                    self.fail(f"{kind} {vector.get('id')}: "
                              f"{error.json_path}: {error.message}")
        self.assertGreater(seen, 1800)

    def test_every_file_is_as_the_whole_schema_says(self):
        valid = jsonschema.Draft202012Validator(SCHEMA)
        for path, document in documents().items():
            if isinstance(document, list):  # one of each kind will do here
                document = list({v["kind"]: v for v in document}.values())
            with self.subTest(file=path.name):
                valid.validate(document)

    def test_no_two_vectors_share_an_id(self):
        ids = collections.Counter(v["id"] for kind in vectors_of_kinds().values()
                                  for v in kind if "id" in v)
        self.assertEqual([name for name, n in ids.items() if n > 1], [])


class Schema(unittest.TestCase):
    def test_it_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_every_kind_has_a_schema_and_vectors_and_is_known_to_the_library(
            self):
        known = set()
        for path in (ROOT / "src/vectors").glob("kinds_*.c"):
            known |= set(re.findall(r'^    \{\{"(\w+)"', path.read_text(),
                                    re.MULTILINE))
        self.assertEqual(set(KINDS), known)
        self.assertEqual(set(KINDS), set(vectors_of_kinds()))
        self.assertEqual(set(DEFS["vector"]["properties"]["kind"]["enum"]),
                         known - {"checkpoint_entry"})

    def test_every_part_of_it_is_used(self):
        used = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(SCHEMA)))
        self.assertEqual(used, set(DEFS))

    def test_no_object_takes_what_it_does_not_name(self):
        open_ones = [schema for schema in objects(DEFS)
                     if schema.get("additionalProperties") is not False]
        self.assertEqual(open_ones, [DEFS["vector"]])

    def test_it_can_be_named(self):
        self.assertTrue(SCHEMA["$id"].startswith("urn:"))

    def test_every_field_is_described(self):
        for kind, schema in KINDS.items():
            for field, of in schema["properties"].items():
                self.assertTrue("description" in of or field in IN_ALL,
                                f"{kind}: {field}")


def without(vector, field):
    return {key: value for key, value in vector.items() if key != field}


def spoilt(value):
    """Values that no field with such a value may have as well."""
    if isinstance(value, str) and re.fullmatch("([0-9a-f]{2})+", value):
        cut = [value[:-1]] if len(value) > 16 and not value.isdigit() else []
        return [value.upper() + "FF", "0x" + value, value + "g", 5, *cut]
    return [{"a": 1}, [[]]] if not isinstance(value, (list, dict)) else [5, "x"]


class Refusal(unittest.TestCase):
    """A schema that took everything would hold nobody to anything."""

    def assert_refused(self, kind, vector, what):
        self.assertFalse(validator(f"kind_{kind}").is_valid(vector),
                         f"{kind}: {what} is accepted")

    def test_what_is_missing_added_or_spoilt_is_refused(self):
        for kind, vectors in vectors_of_kinds().items():
            vector = vectors[0]
            self.assert_refused(kind, {**vector, "extra": 1}, "another field")
            for field in KINDS[kind]["required"]:
                self.assert_refused(kind, without(vector, field),
                                    f"the lack of {field}")
            for field, value in vector.items():
                for wrong in spoilt(value):
                    if kind == "message" and field == "decoded":
                        continue
                    self.assert_refused(kind, {**vector, field: wrong},
                                        f"{wrong!r:.60} for {field}")

    def test_what_a_message_decodes_to_follows_from_its_command(self):
        of = {v["command"]: v for v in vectors_of_kinds()["message"]}
        for command, vector in of.items():
            self.assert_refused("message", {**vector, "decoded": {"a": 1}},
                                command)
        other = copy.deepcopy(of["tx"])
        other["decoded"] = of["inv"]["decoded"]
        self.assert_refused("message", other, "inv's fields for tx")

    def test_a_kind_that_is_not_there_is_refused(self):
        vector = {"id": "a", "kind": "of_magic", "source": "derived", "why": "x"}
        self.assertFalse(jsonschema.Draft202012Validator(SCHEMA).is_valid(
            [vector]))


# ---- The page ----

PAGE = (ROOT / "docs/vectors.md").read_text()
SECTION = re.compile(r"^### `(\w+)`\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `(\w+)`( \(may be absent\))? \|", re.MULTILINE)
EXAMPLE = re.compile(r"```json\n(.*?)```", re.DOTALL)


def is_shown(shown, value):
    """Whether the page shows a value: `..` at its end cuts a text or a list."""
    if isinstance(shown, str) and shown.endswith(".."):
        return isinstance(value, str) and value.startswith(shown[:-2])
    if isinstance(shown, dict) and isinstance(value, dict):
        return all(key in value and is_shown(shown[key], value[key])
                   for key in shown)
    if isinstance(shown, list) and isinstance(value, list):
        cut = shown[-1:] == [".."]
        shown = shown[:-1] if cut else shown
        return (cut or len(shown) == len(value)) and all(
            map(is_shown, shown, value))
    return shown == value


def parts_of(schema, name=""):
    """The places in a value that hold no others: `a.b`, `a[].b`."""
    if "properties" in schema:
        return [part for field, of in schema["properties"].items()
                for part in parts_of(of, f"{name}.{field}".lstrip("."))]
    if "items" in schema:
        return parts_of(schema["items"], name + "[]")
    return [name]


class Page(unittest.TestCase):
    def setUp(self):
        self.sections = dict(SECTION.findall(PAGE + "\n## end"))

    def test_it_has_every_kind_once(self):
        self.assertEqual(sorted(SECTION.findall(PAGE + "\n## end")),
                         sorted(self.sections.items()))
        self.assertEqual(set(self.sections), set(KINDS))

    def test_its_tables_name_the_fields_of_the_schema(self):
        for kind, text in self.sections.items():
            schema = KINDS[kind]
            fields = [field for field in schema["properties"]
                      if field not in IN_ALL]
            rows = ROW.findall(text.partition("```")[0])
            with self.subTest(kind=kind):
                self.assertEqual([field for field, _ in rows], fields)
                for field, absent in rows:
                    self.assertEqual(bool(absent),
                                     field not in schema["required"], field)

    def test_it_describes_kinds_and_fields_as_the_schema_does(self):
        for kind, text in self.sections.items():
            words = " ".join(text.split())
            self.assertIn(" ".join(KINDS[kind]["description"].split()), words)
            for field in set(KINDS[kind]["properties"]) - set(IN_ALL):
                self.assertIn(KINDS[kind]["properties"][field]["description"],
                              text, f"{kind}: {field}")

    def test_it_says_of_every_part_of_a_message_what_it_is(self):
        rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| `([\w.\[\]]+)` "
                          r"\| [^|]+ \| [^|]+ \|$",
                          self.sections["message"], re.MULTILINE)
        told = {(command, part) for commands, part in rows
                for command in re.findall(r"\w+", commands)}
        wanted = {(name.removeprefix("message_"), part)
                  for name, schema in DEFS.items()
                  if name.startswith("message_")
                  for part in parts_of(schema)}
        self.assertEqual(told, wanted)

    def test_its_examples_stand_in_the_corpus(self):
        of = vectors_of_kinds()
        for kind, text in self.sections.items():
            with self.subTest(kind=kind):
                example = json.loads(EXAMPLE.search(text)[1])
                self.assertTrue(any(is_shown(example, vector)
                                    for vector in of[kind]))

    def test_pages_count_right(self):
        of = vectors_of_kinds()
        entries = len(of["checkpoint_entry"])
        vectors = sum(map(len, of.values())) - entries
        for page, words in (
                ("docs/vectors.md", f"{vectors:,} vectors of {len(of)} kinds "
                 f"and {entries} checkpoints"),
                ("README.md", f"{vectors:,} test vectors"),
                ("README.md", f"describes all {len(of)} kinds"),
                ("README.md", f"{vectors + entries} passed, 0 failed"),
                ("docs/cli.md", f"{vectors + entries} passed, 0 failed"),
                ("tests/vectors/README.md", f"it counts {vectors + entries:,}"),
                ("CHANGELOG.md", f"{vectors:,} vectors and {entries} check")):
            text = " ".join((ROOT / page).read_text().split())
            self.assertIn(words, text, page)

    def test_its_program_runs(self):
        program = re.search(r"```python\n(.*?)```\s+(.*?)\n\n", PAGE, re.DOTALL)
        done = subprocess.run([sys.executable, "-c", program[1]], cwd=ROOT,
                              capture_output=True, text=True)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertIn(done.stdout.strip(), program[2])
        self.assertTrue(done.stdout.strip())


if __name__ == "__main__":
    unittest.main()
