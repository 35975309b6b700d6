"""Wallets without a network: made, named, shown, asked."""

import json
import os
import resource
import signal
import stat
import subprocess
import time
import unittest

from program import MNEMONIC, PROGRAM, ProgramTest, vectors
from terminal import TerminalTest, drain, has_echo

ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
XPUB = ("tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56h"
        "jod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp")
ZPUB = ("zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfS"
        "dVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs")
XPRV = ("tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbt"
        "RtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK")


class Create(ProgramTest):
    def test_a_mnemonic_is_shown_once(self):
        made = self.document("--regtest", "wallet", "create")
        self.assertEqual(len(made["mnemonic"].split()), 12)
        self.assertEqual((made["name"], made["type"]), ("default", "wpkh"))
        self.assertNotIn("mnemonic", self.document("--regtest", "wallet",
                                                   "show"))
        many = self.document("--regtest", "wallet", "create", "--words", "24",
                             "--wallet", "many", "--type", "tr")
        self.assertEqual(len(many["mnemonic"].split()), 24)
        self.assertEqual(many["type"], "tr")

    def test_flags_are_named_and_others_refused(self):
        for flags in ("all", "p2pubkey", "none"):
            self.document("--regtest", "wallet", "create", "--wallet", flags,
                          "--flags", flags)
        error = self.failure(2, "--regtest", "wallet", "create", "--wallet", "x",
                             "--flags", "some")
        self.assertIn("p2pubkey", error["message"])

    def test_the_mnemonic_restores_the_wallet(self):
        for kind in ("wpkh", "tr", "sh-wpkh", "pkh"):
            with self.subTest(kind=kind):
                made = self.document("--regtest", "wallet", "create", "--type",
                                     kind, "--wallet", "a" + kind)
                again = self.document(
                    "--regtest", "wallet", "restore", "--type", kind,
                    "--wallet", "b" + kind, "--mnemonic-stdin",
                    stdin=made["mnemonic"])
                self.assertEqual(made["descriptors"], again["descriptors"])

    def test_a_wallet_whose_words_cannot_be_shown_is_taken_back(self):
        for form in ("--json", "--no-json"):
            with self.subTest(form=form), open("/dev/full", "wb") as full:
                answer = self.run_program("--regtest", form, "wallet",
                                          "create", stdout=full)
                self.assertEqual(answer.code, 1)
                self.assertIn("taken back", answer.err)
                self.assertEqual(self.leftovers(), [])
        closed = subprocess.run(
            [PROGRAM, "--regtest", "wallet", "create"], stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, env=self.environment({}),
            preexec_fn=lambda: os.close(1))
        self.assertEqual(closed.returncode, 1)
        self.assertIn(b"taken back", closed.stderr)
        self.assertEqual(self.leftovers(), [])
        self.document("--regtest", "wallet", "create")

    def leftovers(self):
        return list((self.data / "regtest/wallets").iterdir())

    def test_two_wallets_are_not_the_same(self):
        made = [self.document("--regtest", "wallet", "create", "--wallet", name)
                for name in "ab"]
        self.assertNotEqual(made[0]["mnemonic"], made[1]["mnemonic"])

    def test_it_tells_what_gets_the_coins_back(self):
        alone = self.run_program("--regtest", "wallet", "create")
        self.assertIn("write the mnemonic down: whoever has it", alone.err)
        for args in ((), ("--json",)):
            both = self.run_program(
                "--regtest", "wallet", "create", "--wallet", f"p{len(args)}",
                "--passphrase-stdin", *args, stdin="swordfish\n")
            self.assertIn("and the passphrase", both.err)
            self.assertIn("whoever has both", both.err)
        self.assertIn("both are needed", " ".join(
            self.text("help", "wallet", "create").split()))

    def test_an_existing_wallet_is_left_alone(self):
        self.restore()
        before = self.document("--regtest", "wallet", "show")
        error = self.failure(1, "--regtest", "wallet", "create")
        self.assertEqual(error["name"], "EXISTS")
        self.assertEqual(before, self.document("--regtest", "wallet", "show"))

    def test_bad_choices_are_refused_and_nothing_is_written(self):
        for args in (("--type", "all"), ("--type", "p2wpkh"),
                     ("--words", "13"), ("--gap", "0"), ("--gap", "10001"),
                     ("--gap", "-5"), ("--gap", "many"),
                     ("--account", "2147483648"), ("--wallet", "../up"),
                     ("--wallet", ".hidden"), ("--birthday", "7")):
            with self.subTest(args=args):
                self.failure(2, "--regtest", "wallet", "create", *args)
        self.assertEqual(self.document("--regtest", "wallet", "list"), [])


class Restore(TerminalTest):
    def restore_with(self, *args, stdin=MNEMONIC + "\n"):
        return self.run_program("--regtest", "--json", "wallet", "restore",
                                "--mnemonic-stdin", *args, stdin=stdin)

    def test_addresses_are_those_of_the_standards(self):
        for vector in vectors("keys"):
            if vector["kind"] not in ("bip44", "bip84", "bip86"):
                continue
            path = vector["path"].replace("'", "h").split("/")
            if vector["network"] != "mainnet" or path[3:6] != ["0h", "0", "0"]:
                continue
            kind = {"bip44": "pkh", "bip84": "wpkh", "bip86": "tr"}
            with self.subTest(id=vector["id"]):
                name = vector["id"]
                self.document("wallet", "restore", "--mnemonic-stdin",
                              "--wallet", name, "--type", kind[vector["kind"]],
                              stdin=vector["mnemonic"])
                self.assertEqual(
                    self.document("address", "--wallet", name)["address"],
                    vector["address"])

    def test_a_passphrase_is_the_second_line(self):
        plain = json.loads(self.restore_with("--wallet", "plain").out)
        secret = json.loads(self.restore_with(
            "--wallet", "secret", "--passphrase-stdin",
            stdin=MNEMONIC + "\nTREZOR\n").out)
        self.assertNotEqual(plain["descriptors"], secret["descriptors"])
        folder = self.home
        (folder / "words").write_text(MNEMONIC + "\n")
        (folder / "pass").write_text("TREZOR\n")
        files = self.document("--regtest", "wallet", "restore", "--wallet",
                              "files", "--mnemonic-file", "words",
                              "--passphrase-file", "pass")
        self.assertEqual(secret["descriptors"], files["descriptors"])

    def test_a_zero_byte_does_not_cut_a_secret_short(self):
        for stdin in (MNEMONIC + "\nTREZOR\0and more\n", MNEMONIC + "\n\0\n",
                      MNEMONIC + "\0 and more\n\n"):
            with self.subTest(stdin=stdin):
                answer = self.restore_with("--passphrase-stdin", stdin=stdin)
                self.assertEqual(answer.code, 2)
                self.assertIn("zero byte", answer.out)
        (self.home / "words").write_bytes(MNEMONIC.encode("utf-16"))
        self.failure(2, "--regtest", "wallet", "restore", "--mnemonic-file",
                     "words")
        self.assertEqual(self.document("--regtest", "wallet", "list"), [])

    def test_S17_a_missing_birthday_is_told_to_be_the_earliest(self):
        self.assertIn("earliest", self.restore_with().err)
        told = self.restore_with("--wallet", "b", "--birthday", "100")
        self.assertNotIn("earliest", told.err)
        self.assertEqual(json.loads(told.out)["birthday_height"], 100)
        again = self.restore_with()
        self.assertEqual(again.code, 1)
        self.assertNotIn("earliest", again.err)  # there is no such wallet

    def test_S17_a_birthday_is_taken_clamped_or_refused(self):
        for number, birthday in enumerate(("0", "2009-01-03", "2024-02-29",
                                           "10000000")):
            with self.subTest(birthday=birthday):
                self.assertEqual(self.restore_with(
                    "--wallet", f"w{number}", "--birthday", birthday).code, 0)
        late = self.restore_with("--wallet", "late", "--birthday", "2999-01-01")
        self.assertEqual(late.code, 0)
        self.assertIn("taken as today", late.err)
        for birthday in ("2023-02-29", "2023-13-01", "yesterday", "20230101",
                         "-1", "2023-1-1", "2023/01/01", ""):
            with self.subTest(birthday=birthday):
                answer = self.restore_with("--wallet", "x", "--birthday",
                                           birthday)
                self.assertEqual(answer.code, 2)

    def test_a_wrong_mnemonic_is_told_without_being_repeated(self):
        for wrong in ("abandon " * 12, "abandon about", "hunter2 " * 12, ""):
            with self.subTest(mnemonic=wrong):
                answer = self.restore_with(stdin=wrong)
                self.assertEqual(answer.code, 2, answer.out)
        self.assertEqual(self.document("--regtest", "wallet", "list"), [])

    def test_without_a_terminal_a_source_has_to_be_named(self):
        error = self.failure(2, "--regtest", "wallet", "restore",
                             stdin=MNEMONIC)
        self.assertIn("--mnemonic-stdin", error["hint"])
        self.failure(2, "wallet", "restore", "--mnemonic-stdin",
                     "--mnemonic-file", "x")
        self.failure(3, "wallet", "restore", "--mnemonic-file", "none")

    def test_on_a_terminal_the_mnemonic_is_asked_for_unseen(self):
        program, leader, seen = self.start_on_terminal(
            PROGRAM, "--regtest", "--json", "wallet", "restore")
        self.assertIn(b"mnemonic: ", seen)
        os.write(leader, MNEMONIC.encode() + b"\n")
        seen += self.expect(leader, b"passphrase (empty: none): ")
        os.write(leader, b"\n")
        out, err = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 0, err)
        seen += drain(leader)
        self.assertNotIn(b"abandon", seen)
        self.assertEqual(json.loads(out)["type"], "wpkh")
        self.assertEqual(json.loads(out)["descriptors"],
                         self.restore("--wallet", "piped")["descriptors"])

    def test_on_a_terminal_the_passphrase_is_asked_for_unseen(self):
        piped = json.loads(self.restore_with(
            "--wallet", "piped", "--passphrase-stdin",
            stdin=MNEMONIC + "\nTREZOR\n").out)
        for number, args in enumerate((
                (), ("--mnemonic-stdin",), ("--passphrase-stdin",),
                ("--mnemonic-stdin", "--passphrase-stdin"))):
            with self.subTest(args=args):
                program, leader, seen = self.start_on_terminal(
                    PROGRAM, "--regtest", "--json", "wallet", "restore",
                    "--wallet", str(number), *args)
                for prompt, line in ((b"mnemonic", MNEMONIC.encode()),
                                     (b"passphrase", b"TREZOR")):
                    if prompt not in seen:
                        seen += self.expect(leader, prompt)
                    while has_echo(leader):
                        time.sleep(0.01)
                    os.write(leader, line + b"\n")
                out, err = program.communicate(timeout=30)
                self.assertEqual(program.returncode, 0, err)
                seen += drain(leader)
                self.assertNotIn(b"abandon", seen)
                self.assertNotIn(b"TREZOR", seen)
                self.assertEqual(json.loads(out)["descriptors"],
                                 piped["descriptors"])

    def test_a_file_of_words_asks_for_no_passphrase(self):
        (self.home / "words").write_text(MNEMONIC + "\n")
        program, _, seen = self.start_on_terminal(
            "/bin/sh", "-c", '"$0" --regtest wallet restore --mnemonic-file '
            f'{self.home}/words; echo done >/dev/tty', PROGRAM)
        program.communicate(timeout=30)
        self.assertIn(b"done", seen)

    def test_a_new_passphrase_is_typed_twice(self):
        for typed, code in (((b"swordfish", b"swordfish"), 0),
                            ((b"swordfish", b"sawfish"), 2), ((b"",), 2)):
            with self.subTest(typed=typed):
                program, leader, seen = self.start_on_terminal(
                    PROGRAM, "--regtest", "--json", "wallet", "create",
                    "--wallet", f"new{code}", "--passphrase-stdin")
                for at, line in enumerate(typed):
                    if at:
                        seen += self.expect(leader, b"passphrase again: ")
                    os.write(leader, line + b"\n")
                _, err = program.communicate(timeout=30)
                self.assertEqual(program.returncode, code, err)
                self.assertNotIn(b"fish", seen + drain(leader))
        self.assertEqual(self.document("--regtest", "wallet", "backup",
                                       "--wallet", "new0")["passphrase"],
                         "swordfish")

    def test_ended_at_the_prompt_it_leaves_the_terminal_as_it_was(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                       signal.SIGQUIT):
            with self.subTest(signal=number):
                program, leader, _ = self.start_on_terminal(
                    PROGRAM, "--regtest", "wallet", "restore")
                self.assertFalse(has_echo(leader))
                program.send_signal(number)
                program.communicate(timeout=30)
                self.assertEqual(program.returncode, 130)
                self.assertTrue(has_echo(leader))

    def test_stopped_at_the_prompt_it_asks_again_when_it_goes_on(self):
        program, leader, _ = self.start_on_terminal(
            "/bin/sh", "-mc", '"$0" --regtest --json wallet restore; stty -a; '
            'fg', PROGRAM)
        os.write(leader, b"\x1a")
        settings = b""
        while b" echo " not in settings and b"-echo " not in settings:
            settings = program.stdout.readline()
        self.assertNotIn(b"-echo ", settings)
        while has_echo(leader):
            time.sleep(0.01)
        os.write(leader, MNEMONIC.encode() + b"\n")
        self.expect(leader, b"passphrase")
        os.write(leader, b"\n")
        out, err = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 0, err)
        self.assertIn(b'"type": "wpkh"', out)

    def test_the_secret_is_in_no_file_that_others_can_read(self):
        self.restore()
        for path in self.data.rglob("*"):
            if path.is_file() and b"abandon" in path.read_bytes():
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)


class Watch(ProgramTest):
    def watch(self, *args, **options):
        return self.document("--regtest", "wallet", "watch", *args, **options)

    def test_descriptors_keys_and_addresses_are_watched(self):
        for number, what in enumerate((ADDRESS, XPUB, f"wpkh({XPUB}/<0;1>/*)",
                                       f"tr({XPUB}/0/*)")):
            with self.subTest(what=what):
                made = self.watch(what, "--wallet", f"w{number}")
                self.assertTrue(made["watch_only"])
                self.assertRegex(made["descriptors"][0], "#[a-z0-9]{8}$")

    def test_a_bare_key_is_taken_as_its_prefix_says(self):
        for number, (chain, what, kind, warned) in enumerate((
                ("regtest", XPUB, "pkh(", True), ("main", ZPUB, "wpkh(", False),
                ("regtest", f"wpkh({XPUB}/0/*)", "wpkh(", False))):
            with self.subTest(what=what):
                answer = self.run_program("--chain", chain, "--json", "wallet",
                                          "watch", what, "--wallet",
                                          f"w{number}")
                made = json.loads(answer.out)
                self.assertTrue(made["descriptors"][0].startswith(kind))
                self.assertEqual("spvclient: warning: tpub is taken as pkh"
                                 in answer.err, warned)

    def test_many_come_through_standard_input(self):
        made = self.watch("-", stdin=f"{ADDRESS}\n\nwpkh({XPUB}/0/*)\n")
        self.assertEqual(len(made["descriptors"]), 2)

    def test_what_cannot_be_watched_is_told(self):
        for what, word in (("wpkh(", ""), (ADDRESS[:-1] + "q", ""),
                           (f"wpkh({XPUB}/0/*)#aaaaaaaa", "checksum"),
                           ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                            "network")):
            with self.subTest(what=what):
                error = self.failure(2, "--regtest", "wallet", "watch", what)
                self.assertIn(word, error["message"].lower())
        error = self.failure(2, "--regtest", "wallet", "watch",
                             f"wpkh({XPRV}/0/*)")
        self.assertNotIn(XPRV, json.dumps(error))
        self.failure(2, "--regtest", "wallet", "watch", "-")


class Surroundings(ProgramTest):
    def start(self, *args, before):
        done = subprocess.run([PROGRAM, "--regtest", *args],
                              input=MNEMONIC.encode() + b"\n",
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment({}), preexec_fn=before)
        return done.returncode, done.stdout, done.stderr

    def test_no_file_takes_the_place_of_a_closed_standard_error(self):
        self.restore()
        code, _, _ = self.start("sync", "--connect", "127.0.0.1:1", "--timeout",
                                "1", before=lambda: os.close(2))
        self.assertEqual(code, 6)
        for path in (self.data / "regtest").rglob("*"):
            if path.is_file():
                self.assertNotIn(b"spvclient: ", path.read_bytes())
        code, out, _ = self.start("balance", "nonsense",
                                  before=lambda: os.close(2))
        self.assertEqual((code, out), (2, b""))

    def test_a_limit_on_files_is_an_error(self):
        code, out, err = self.start(
            "wallet", "restore", "--mnemonic-stdin",
            before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9)))
        self.assertEqual((code, out), (1, b""))
        self.assertIn(b"spvclient: ", err)
        self.assertEqual(self.document("--regtest", "wallet", "list"), [])


class Asked(ProgramTest):
    def ask(self, *args, **options):
        return self.document("--regtest", *args, **options)

    def test_a_wallet_that_is_not_there_is_told_with_what_to_do(self):
        for words in (("balance",), ("coins",), ("history",), ("address",),
                      ("address", "list"), ("wallet", "show"), ("sync",),
                      ("wallet", "rescan"), ("tx", "show", "00" * 32)):
            with self.subTest(words=words):
                error = self.failure(3, *words)
                self.assertIn("wallet create", error["hint"])

    def test_names_are_listed_by_network(self):
        for name in ("b", "a"):
            self.ask("wallet", "create", "--wallet", name)
        self.assertEqual(self.ask("wallet", "list"),
                         [{"name": "a"}, {"name": "b"}])
        self.assertEqual(self.text("--regtest", "wallets"), "a\nb\n")
        self.assertEqual(self.document("wallet", "list"), [])

    def test_a_new_wallet_is_empty(self):
        self.restore()
        self.assertEqual(self.ask("balance"), {
            "confirmed_sat": 0, "unconfirmed_sat": 0, "immature_sat": 0,
            "total_sat": 0, "height": None, "block_hash": None})
        self.assertEqual(self.ask("coins"), [])
        self.assertEqual(self.ask("history"), [])
        self.assertRegex(self.text("--regtest", "balance"),
                         r"(?m)^total +0\.00000000 btc$")
        self.failure(3, "--regtest", "tx", "show", "ab" * 32)
        self.failure(2, "--regtest", "tx", "show", "abc")

    def test_shown_are_the_promised_keys(self):
        self.restore()
        self.assertEqual(set(self.ask("wallet", "show")), {
            "name", "type", "watch_only", "encrypted", "birthday_height",
            "birthday_time", "gap", "descriptors", "synced_height",
            "rescan_height", "rescan_time", "filter"})

    def test_shown_is_what_was_chosen_for_life(self):
        self.restore("--privacy", "strong", "--flags", "p2pubkey")
        shown = self.ask("wallet", "show")["filter"]
        self.assertEqual(shown["flags"], 2)
        self.assertTrue(5e-4 < shown["fp_rate"] < 2e-3, shown)

    def test_addresses(self):
        self.restore()
        first = self.ask("address")
        self.assertEqual(set(first), {"address", "descriptor", "index",
                                      "change", "used"})
        self.assertEqual(first, self.ask("address"))
        second = self.ask("address", "new")
        self.assertEqual((first["index"], second["index"]), (0, 1))
        self.assertTrue(self.ask("address", "--change")["change"])
        listed = self.ask("address", "list")
        self.assertIn(first, listed)
        self.assertIn(second, listed)
        self.assertEqual(self.text("--regtest", "address", "new").count("\n"),
                         1)

    def test_addresses_of_several_descriptors_say_whose_they_are(self):
        self.restore()
        self.text("--regtest", "address", "new")
        self.assertNotIn("#", self.text("--regtest", "address", "list"))
        made = self.ask("wallet", "watch", ADDRESS, f"sh(wpkh({XPUB}/0/*))",
                        "--wallet", "two")
        self.text("--regtest", "--wallet", "two", "address", "new")
        listed = self.text("--regtest", "--wallet", "two", "address", "list")
        for text, kind in zip(made["descriptors"], ("addr", "sh-wpkh")):
            checksum = text.partition("#")[2]
            self.assertRegex(listed, rf" {kind}#{checksum}\n")

    def test_rescan(self):
        self.restore("--birthday", "50")
        self.assertEqual(self.ask("wallet", "rescan", "--gap", "100")["gap"],
                         100)
        self.assertEqual(self.ask("wallet", "show")["gap"], 100)
        self.ask("wallet", "rescan", "--from", "2020-01-01")
        self.failure(2, "--regtest", "wallet", "rescan", "--from", "long ago")
        self.failure(2, "--regtest", "wallet", "rescan", "--gap", "0")

    def test_a_rescan_never_looks_less_far(self):
        self.restore("--gap", "30")
        for gap in (1, 20, 29):
            error = self.failure(2, "--regtest", "wallet", "rescan", "--gap",
                                 gap)
            self.assertIn("30", error["hint"])
        shown = self.ask("wallet", "show")
        self.assertEqual((shown["gap"], shown["rescan_height"],
                          shown["rescan_time"]), (30, None, None))
        self.assertEqual(self.ask("wallet", "rescan", "--gap", "30")["gap"], 30)

    def test_flags_are_told_as_the_option_has_them(self):
        for flags in ("all", "p2pubkey", "none"):
            self.text("--regtest", "wallet", "create", "--wallet", flags,
                      "--flags", flags)
            self.assertRegex(self.text("--regtest", "--wallet", flags, "wallet",
                                       "show"), f"filter flags +{flags}\n")

    def test_the_filter_that_nodes_would_get(self):
        self.restore()
        payload = self.text("--regtest", "filter", "wallet")
        shown = self.document("filter", "show", stdin=payload)
        self.assertTrue(shown["wire_ok"])
        element = self.document("--regtest", "decode", "address", self.ask(
            "address")["address"])["filter_element"]
        self.assertEqual(self.text("filter", "test", "-", element,
                                   stdin=payload), element + "\n")
        self.assertEqual(payload, self.text("--regtest", "filter", "wallet"))


class Sync(ProgramTest):
    def test_without_a_peer_it_says_how_to_name_one(self):
        self.restore()
        error = self.failure(5, "--regtest", "sync")
        self.assertIn("--connect", error["hint"])

    def test_an_unreachable_peer_times_out(self):
        self.restore()
        answer = self.run_program("--regtest", "--json", "sync", "--connect",
                                  "127.0.0.1:1", "--timeout", "1")
        self.assertEqual(answer.code, 6, answer.err)
        self.assertEqual(json.loads(answer.out)["error"]["name"], "TIMEOUT")

    def test_bad_numbers_are_refused(self):
        self.restore()
        for args in (("--until", "0"), ("--until", "high"),
                     ("--timeout", "0"), ("--timeout", "1h"),
                     ("--audit", "1.1"), ("--audit", "-0.1"),
                     ("--audit", "nan"), ("--audit", "half"),
                     ("--connect", "host:port:more")):
            with self.subTest(args=args):
                self.failure(2, "--regtest", "sync", "--connect", "127.0.0.1",
                             *args)

    def test_an_interrupt_ends_it_in_good_order(self):
        self.restore()
        program = subprocess.Popen(
            [PROGRAM, "--regtest", "--json", "sync", "--connect",
             "127.0.0.1:1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self.environment({}))
        program.stderr.readline()  # it has begun: the peer cannot be reached
        program.terminate()
        out, _ = program.communicate(timeout=30)
        self.assertEqual(program.returncode, 130)
        self.assertEqual(json.loads(out)["error"]["name"], "INTERRUPTED")

    def test_a_second_process_is_told_that_the_folder_is_in_use(self):
        self.restore()
        first = subprocess.Popen(
            [PROGRAM, "--regtest", "sync", "--connect", "127.0.0.1:1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=self.environment({}))
        self.addCleanup(first.stderr.close)
        self.addCleanup(first.wait)
        self.addCleanup(first.kill)
        first.stderr.readline()
        self.failure(9, "--regtest", "balance")


if __name__ == "__main__":
    unittest.main()
