"""What can spend: encrypted, and told to its owner."""

import fcntl
import json
import os
import unittest

from program import MNEMONIC, PROGRAM
from secret import PASSWORD, SecretTest
from terminal import TerminalTest, drain

ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"


class Backup(SecretTest):
    def test_it_tells_all_that_makes_the_wallet_again(self):
        made = self.document(
            "--regtest", "wallet", "restore", "--mnemonic-stdin",
            "--passphrase-stdin", "--type", "tr", "--account", "3", "--gap",
            "40", "--birthday", "77", "--privacy", "own-node", "--flags",
            "none", stdin=self.lines(MNEMONIC, "caf\u00e9"))
        backup = self.document("--regtest", "wallet", "backup")
        self.assertEqual(backup, {
            "name": "default", "chain": "regtest", "encrypted": False, "mnemonic": MNEMONIC,
            "passphrase": "caf\u00e9", "type": "tr", "account": 3, "gap": 40,
            "birthday_height": 77, "birthday_time": None, "fp_rate": 1e-6,
            "flags": "none"})
        again = self.document(
            "--regtest", "wallet", "restore", "--mnemonic-stdin",
            "--passphrase-stdin", "--type", backup["type"], "--account",
            backup["account"], "--gap", backup["gap"], "--birthday",
            backup["birthday_height"], "--fp-rate", backup["fp_rate"],
            "--flags", backup["flags"], "--wallet", "again",
            stdin=self.lines(backup["mnemonic"], backup["passphrase"]))
        self.assertEqual({**made, "name": "again"}, again)
        told = self.text("--regtest", "wallet", "backup")
        self.assertRegex(told, f"mnemonic +{MNEMONIC}\n")
        self.assertRegex(told, "chain +regtest\n")
        self.assertRegex(told, "filter flags +none\n")

    def test_the_words_of_a_new_wallet_are_those_that_were_shown(self):
        made = self.document("--regtest", "wallet", "create", "--words", "24")
        self.assertEqual(self.document("--regtest", "wallet",
                                       "backup")["mnemonic"],
                         made["mnemonic"])

    def test_what_only_watches_has_none(self):
        self.text("--regtest", "wallet", "watch", ADDRESS)
        for verb in ("backup", "encrypt"):
            error = self.failure(2, "--regtest", "wallet", verb,
                                 "--password-stdin", stdin="x\n")
            self.assertIn("only watches", error["message"])

    def test_there_has_to_be_a_wallet(self):
        for verb in ("backup", "encrypt"):
            error = self.failure(3, "--regtest", "wallet", verb)
            self.assertIn("wallet create", error["hint"])

    def test_it_does_not_wait_for_another_process(self):
        self.restore()
        with open(self.data / "regtest/lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.document("--regtest", "wallet", "backup")
            self.failure(9, "--regtest", "wallet", "encrypt",
                         "--password-stdin", stdin="x\n")

    def test_the_secret_alone_is_enough(self):
        self.restore()
        self.encrypt()
        for suffix in ("wallet", "sqlite"):
            (self.wallets / f"default.{suffix}").unlink()
        error = self.failure(3, "--regtest", "balance")
        self.assertIn("wallet backup", error["hint"])
        backup = self.back_up()
        self.assertEqual((backup["mnemonic"], backup["chain"]),
                         (MNEMONIC, "regtest"))
        for key in ("type", "account", "gap", "birthday_height",
                    "birthday_time", "fp_rate", "flags"):
            self.assertIsNone(backup[key], key)


class Encrypt(SecretTest):
    def test_an_encrypted_wallet_is_used_as_before(self):
        made = self.restore()
        self.assertEqual(self.encrypt(), {
            "name": "default", "encrypted": True, "password_changed": False,
            "old_file_overwritten": True})
        shown = self.document("--regtest", "wallet", "show")
        self.assertEqual(shown, {**made, "encrypted": True})
        self.assertEqual(self.document("--regtest", "address", "new")["index"],
                         0)
        self.assertEqual(self.document("--regtest", "balance")["total_sat"], 0)

    def test_a_copy_that_is_left_is_told_of_even_quietly(self):
        self.restore()
        os.link(self.secret, self.wallets / "copy")
        self.assertFalse(self.encrypt("--quiet")["old_file_overwritten"])

    def test_the_password_is_changed_with_the_old_one(self):
        self.restore()
        self.encrypt()
        change = ("--regtest", "wallet", "encrypt", "--password-stdin",
                  "--new-password-stdin")
        self.failure(4, *change, stdin=self.lines("wrong", "new"))
        self.assertEqual(self.document(*change, stdin=self.lines(
            PASSWORD, "new"))["password_changed"], True)
        self.backup_fails(4)
        self.assertEqual(self.back_up(password="new")["mnemonic"], MNEMONIC)

    def test_passwords_come_from_files_too(self):
        self.restore()
        (self.home / "first").write_text("first\n")
        (self.home / "second").write_text("second\nmore\n")
        self.text("--regtest", "wallet", "encrypt", "--password-file", "first")
        self.text("--regtest", "wallet", "encrypt", "--password-file", "first",
                  "--new-password-file", "second")
        self.assertEqual(self.back_up(password="second")["mnemonic"], MNEMONIC)

    def test_what_cannot_be_meant_is_refused_and_changes_nothing(self):
        self.restore()
        before = self.secret.read_bytes()
        for args, lines in (
                (("--password-stdin",), ("",)),
                (("--password-stdin",), ("\u5bc6\u7801",)),
                (("--password-stdin", "--password-file", "x"), ("a",)),
                (("--password-stdin", "--new-password-stdin"), ("a", "b")),
                (("--passphrase-stdin",), ("a",))):
            with self.subTest(args=args):
                self.failure(2, "--regtest", "wallet", "encrypt", *args,
                             stdin=self.lines(*lines))
        self.failure(3, "--regtest", "wallet", "encrypt", "--password-file",
                     "none")
        self.assertEqual(self.secret.read_bytes(), before)

    def test_none_where_one_is_needed_is_exit_code_4(self):
        self.restore()
        (self.home / "empty").touch()
        none = ((), ("--password-stdin",), ("--password-file", "empty"))
        for args in none:
            with self.subTest(args=args):
                error = self.failure(4, "--regtest", "wallet", "encrypt", *args)
                self.assertEqual(error["name"], "LOCKED")
        self.encrypt()
        old = ("--password-file", "old")
        (self.home / "old").write_text(PASSWORD)
        for args in (*none, old, (*old, "--new-password-stdin"),
                     (*old, "--new-password-file", "empty")):
            with self.subTest(args=args):
                self.failure(4, "--regtest", "wallet", "encrypt", *args)
        for args in none:
            self.failure(4, "--regtest", "wallet", "backup", *args)
        self.assertEqual(self.back_up()["mnemonic"], MNEMONIC)

    def test_the_character_that_cannot_be_in_it_is_pointed_at(self):
        self.restore()
        for password, byte in (("\u20ac", 1), ("abc\u20ac", 4),
                               ("caf\u00e9\u20ac", 6)):
            with self.subTest(password=password):
                error = self.failure(2, "--regtest", "wallet", "encrypt",
                                     "--password-stdin", stdin=password)
                self.assertIn(f"from byte {byte} on", error["message"])

    def test_a_passphrase_is_not_taken_for_the_password(self):
        self.restore()
        error = self.failure(2, "--regtest", "wallet", "encrypt",
                             "--passphrase-stdin", stdin="x\n")
        self.assertIn("--password-stdin", error["hint"])
        error = self.failure(2, "wallet", "encrypt", "hunter2")
        self.assertNotIn("hunter2", json.dumps(error))
        self.assertIn("--password-stdin", error["hint"])


class OnTerminal(TerminalTest):
    def start(self, *args):
        return self.start_on_terminal(PROGRAM, "--regtest", "--json", "wallet",
                                      *args)

    def test_a_new_password_is_asked_for_twice_and_unseen(self):
        self.restore()
        program, leader, seen = self.start("encrypt")
        self.assertIn(b"new password: ", seen)
        os.write(leader, b"hush\n")
        seen += self.expect(leader, b"new password again: ")
        os.write(leader, b"hush\n")
        out, err = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 0, err)
        self.assertNotIn(b"hush", seen + drain(leader))
        self.assertTrue(json.loads(out)["encrypted"])
        program, leader, seen = self.start("backup")
        self.assertIn(b"password: ", seen)
        self.assertNotIn(b"new", seen)
        os.write(leader, b"hush\n")
        out, err = program.communicate(timeout=30)
        self.assertEqual(json.loads(out)["mnemonic"], MNEMONIC, err)

    def test_after_a_wrong_old_password_no_new_one_is_asked_for(self):
        self.restore()
        self.document("--regtest", "wallet", "encrypt", "--password-stdin",
                      stdin="hush\n")
        program, leader, seen = self.start("encrypt")
        os.write(leader, b"hash\n")
        out, _ = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 4, out)
        self.assertNotIn(b"new", seen + drain(leader))

    def test_typed_differently_nothing_is_changed(self):
        self.restore()
        for typed in ((b"hush\n", b"hash\n"), (b"\n",)):
            with self.subTest(typed=typed):
                program, leader, _ = self.start("encrypt")
                if len(typed) > 1:
                    os.write(leader, typed[0])
                    self.expect(leader, b"again: ")
                os.write(leader, typed[-1])
                out, _ = program.communicate(timeout=30)
                self.assertEqual(program.returncode, 2, out)
        shown = self.document("--regtest", "wallet", "show")
        self.assertFalse(shown["encrypted"])

if __name__ == "__main__":
    unittest.main()
