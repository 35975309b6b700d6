"""What is taken apart, and what proofs prove."""

import json
import unittest

from program import ProgramTest, vectors

GENESIS = ("01000000" + "00" * 32 + "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3"
           "888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c")
COINBASE = (
    "0100000001" + "00" * 32 + "ffffffff4d04ffff001d0104455468652054696d657320"
    "30332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365"
    "636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a010000004341"
    "04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f"
    "4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000")


class Transactions(ProgramTest):
    def test_txids_and_sizes_are_those_of_the_vectors(self):
        for vector in vectors("tx"):
            if vector["kind"] != "tx_serialization":
                continue
            with self.subTest(id=vector["id"]):
                tx = self.document("decode", "tx", stdin=vector["tx"])
                self.assertEqual(tx["txid"], vector["txid"])
                if "wtxid" in vector:
                    self.assertEqual(tx["hash"], vector["wtxid"])
                self.assertEqual(tx["size"], len(vector["tx"]) // 2)

    def test_a_coinbase(self):
        tx = self.document("decode", "tx", COINBASE)
        self.assertIn("5468652054696d6573", tx["vin"][0]["coinbase"])
        out = tx["vout"][0]
        self.assertEqual((out["value_sat"], out["n"]), (5000000000, 0))
        self.assertEqual(out["scriptPubKey"]["type"], "pubkey")
        self.assertTrue(out["scriptPubKey"]["asm"].endswith(" OP_CHECKSIG"))

    def test_witness_items_are_listed(self):
        found = False
        for vector in vectors("tx"):
            if vector["kind"] != "tx_serialization":
                continue
            tx = self.document("decode", "tx", vector["tx"])
            for entry in tx["vin"]:
                found = found or bool(entry.get("txinwitness"))
                for item in entry.get("txinwitness", ()):
                    self.assertIn(item, vector["tx"])
        self.assertTrue(found)

    def test_wrong_bytes_are_refused(self):
        for vector in vectors("tx"):
            if vector["kind"] == "tx_invalid_encoding" and vector["tx"]:
                with self.subTest(id=vector["id"]):
                    self.failure(2, "decode", "tx", stdin=vector["tx"])
        self.failure(2, "decode", "tx", COINBASE + "00")
        self.failure(2, "decode", "tx", stdin="")


class Blocks(ProgramTest):
    def test_a_header(self):
        header = self.document("decode", "header", GENESIS)
        self.assertEqual(header["hash"], "000000000019d6689c085ae165831e934ff7"
                         "63ae46a2a6c172b3f1b60a8ce26f")
        self.assertEqual((header["bits"], header["nonce"],
                          header["block_time"], header["proof_of_work"]),
                         ("1d00ffff", 2083236893, 1231006505, True))
        worse = self.document("decode", "header", GENESIS[:-2] + "7d")
        self.assertFalse(worse["proof_of_work"])
        error = self.failure(2, "decode", "header", GENESIS[:-2])
        self.assertIn("its 79 bytes end too early", error["message"])
        for noun, bytes_of_it in (("header", GENESIS), ("tx", COINBASE),
                                  ("block", GENESIS + "01" + COINBASE)):
            error = self.failure(2, "decode", noun, bytes_of_it + "00" * 18)
            self.assertIn(f"18 of its {len(bytes_of_it) // 2 + 18} bytes are "
                          "left over", error["message"])

    def test_text_is_told_from_bytes(self):
        (self.home / "notes.txt").write_text("Buy milk.\n")
        for words in (("filter", "show"), ("decode", "tx"),
                      ("decode", "script")):
            error = self.failure(2, *words, "notes.txt")
            self.assertIn("notes.txt is text, and no hex", error["message"])

    def test_a_block(self):
        block = self.document("decode", "block", GENESIS + "01" + COINBASE)
        self.assertEqual(block["nTx"], 1)
        self.assertEqual(block["tx"][0]["txid"], block["merkleroot"])
        for wrong in ("02" + COINBASE, "01" + COINBASE + "00", "01",
                      "01" + COINBASE[:-2], "feffffffff" + COINBASE):
            with self.subTest(wrong=wrong[:12]):
                self.failure(2, "decode", "block", GENESIS + wrong)

    def test_blocks_of_the_vectors(self):
        for vector in vectors("bloom"):
            if vector["kind"] == "block_filter":
                with self.subTest(id=vector["id"]):
                    block = self.document("decode", "block",
                                          stdin=vector["block"])
                    self.assertEqual(block["hash"], vector["block_hash"])
                    self.assertEqual(len(block["tx"]), vector["tx_count"])


class Proofs(ProgramTest):
    def test_sound_proofs_list_their_transactions(self):
        seen = 0
        for vector in vectors("merkleblock"):
            if vector["kind"] != "merkleblock":
                continue
            with self.subTest(id=vector["id"]):
                proof = self.document("proof", "verify",
                                      stdin=vector["payload"] + "\n")
                self.assertEqual(proof["block_hash"], vector["block_hash"])
                tree = self.document("decode", "merkleblock",
                                     vector["payload"])
                self.assertEqual(tree["header"]["hash"], proof["block_hash"])
                self.assertEqual(tree["header"]["merkleroot"],
                                 proof["merkle_root"])
                seen += 1
        self.assertTrue(seen)

    def test_lies_prove_nothing(self):
        for vector in vectors("merkleblock"):
            if vector["kind"] != "merkleblock_invalid":
                continue
            with self.subTest(id=vector["id"]):
                answer = self.run_program("--json", "proof", "verify",
                                          stdin=vector["payload"])
                self.assertEqual(answer.code, 1)
                self.assertEqual(set(json.loads(answer.out)["error"]),
                                 {"code", "name", "message", "hint", "rule"})

    def test_a_broken_rule_is_told_in_words_and_by_its_name(self):
        payload = next(v["payload"] for v in vectors("merkleblock")
                       if v["kind"] == "merkleblock")
        for broken, rule, words in (
                (payload[:-2], "parse-error", "not those of a whole"),
                (payload + "00", "parse-error", "not those of a whole"),
                ("02" + payload[2:], "proof-of-work", "lacks the proof of"),
                (payload[:160] + "00000000" + payload[168:],
                 "no-transactions", "without transactions")):
            with self.subTest(rule=rule, words=words):
                error = self.failure(1, "proof", "verify", stdin=broken)
                self.assertEqual((error["name"], error["rule"]),
                                 ("PROOF", rule))
                self.assertIn(words, error["message"])

    def test_the_text_says_where_a_transaction_claims_to_be(self):
        vector = next(v for v in vectors("merkleblock")
                      if v["kind"] == "merkleblock")
        proof = self.document("proof", "verify", stdin=vector["payload"])
        shown = self.text("proof", "verify", stdin=vector["payload"])
        self.assertRegex(shown,
                         rf"transactions +{proof['n_transactions']}\n")
        for leaf in proof["transactions"]:
            self.assertRegex(shown, rf" {leaf['position']}  {leaf['txid']}\n")

    def test_work_is_that_of_the_network(self):
        payload = next(v["payload"] for v in vectors("merkleblock")
                       if v["kind"] == "merkleblock")
        broken = "02" + payload[2:]  # another version, another hash
        error = self.failure(1, "proof", "verify", stdin=broken)
        self.assertEqual(error["name"], "PROOF")
        self.assertEqual(error["rule"], "proof-of-work")
        self.assertIn("--chain", error["hint"])

    def test_what_is_no_hex_is_wrong_input(self):
        self.failure(1, "proof", "verify", stdin="00")
        for wrong in ("", "000", "words", "0x00"):
            self.failure(2, "proof", "verify", stdin=wrong)
        self.failure(2, "decode", "merkleblock", "00")


class Scripts(ProgramTest):
    def test_addresses_of_the_vectors(self):
        chains = {"main": "main", "test": "testnet3", "signet": "signet",
                  "regtest": "regtest"}
        for vector in vectors("keys"):
            if vector["kind"] != "address" or vector["chain"] not in chains:
                continue
            with self.subTest(id=vector["id"]):
                decoded = self.document("--chain", chains[vector["chain"]],
                                        "decode", "address", vector["address"])
                self.assertEqual(decoded["scriptPubKey"],
                                 vector["script_pubkey"])
                script = self.document("--chain", chains[vector["chain"]],
                                       "decode", "script",
                                       vector["script_pubkey"])
                written = vector["address"]
                if script["type"].startswith("witness"):
                    written = written.lower()  # bech32 has either case
                self.assertEqual(script["address"], written)
                self.assertEqual(script["type"], decoded["type"])

    def test_another_network_is_named(self):
        error = self.failure(2, "decode", "address",
                             "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080")
        self.assertEqual(error["name"], "NETWORK")
        self.assertIn("regtest", error["hint"])
        for wrong, why in (("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5",
                            "mistyped"), ("1x", "neither base58"),
                           ("foo", "neither base58"), ("", "")):
            error = self.failure(2, "decode", "address", wrong)
            self.assertIn(why, error["message"])

    def test_asm(self):
        for script, asm in (("", None), ("00", "0"), ("4f60", "-1 16"),
                            ("0281ff", "-32641"), ("04ffffffff", "-2147483647"),
                            ("05ffffffffff", "ffffffffff"),
                            ("6aba", "OP_RETURN OP_CHECKSIGADD"),
                            ("fe", "OP_UNKNOWN"), ("0500", "[error]"),
                            ("510500", "1 [error]")):
            with self.subTest(script=script):
                if asm is None:
                    self.failure(2, "decode", "script", stdin=script)
                    continue
                self.assertEqual(
                    self.document("decode", "script", script)["asm"], asm)

    def test_descriptors(self):
        xpub = next(v["xpub"] for v in vectors("keys") if v["kind"] == "bip32")
        xprv = next(v["xprv"] for v in vectors("keys") if v["kind"] == "bip32")
        public = self.document("decode", "descriptor", f"wpkh({xpub}/<0;1>/*)")
        self.assertEqual((public["branches"], public["isrange"],
                          public["hasprivatekeys"]), (2, True, False))
        self.assertEqual(len(public["scripts"]), 6)
        again = self.document("decode", "descriptor", public["descriptor"])
        self.assertTrue(again["has_checksum"])
        self.assertEqual(again["scripts"], public["scripts"])
        piped = self.document("decode", "descriptor",
                              stdin=f"wpkh({xprv}/<0;1>/*)\n")
        self.assertTrue(piped["hasprivatekeys"])
        self.assertEqual(piped["descriptor"], public["descriptor"])
        error = self.failure(2, "decode", "descriptor", f"wpkh({xprv}/0/*)")
        self.assertNotIn(xprv, error["message"])
        error = self.failure(2, "decode", "descriptor", f"wpkh({xpub}/0/*")
        self.assertIn("character", error["message"])


if __name__ == "__main__":
    unittest.main()
