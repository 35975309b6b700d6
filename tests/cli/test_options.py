"""Options, the environment, the settings file, help, and what is refused."""

import json
import os
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest


class Options(ProgramTest):
    def wallets(self, *args, **options):
        return self.document("wallet", "list", *args, **options)

    def test_options_stand_before_or_after_the_command(self):
        self.restore()
        for args in (("--regtest", "wallet", "show"),
                     ("wallet", "--regtest", "show"),
                     ("wallet", "show", "--chain", "regtest"),
                     ("wallet", "show", "--chain=regtest")):
            with self.subTest(args=args):
                self.assertEqual(self.document(*args)["name"], "default")

    def test_an_unknown_option_is_answered_with_the_nearest(self):
        for wrong, right in (("--regtets", "--regtest"),
                             ("--walet=x", "--wallet"),
                             ("--datdir", "--datadir"),
                             ("--jsno", "--json"),
                             ("--fp-rte", "--fp-rate")):
            with self.subTest(option=wrong):
                error = self.failure(2, "balance", wrong)
                self.assertIn(right, error["hint"])

    def test_an_unknown_command_is_answered_with_the_nearest(self):
        for words, right in ((("blance",), "balance"),
                             (("hisotry",), "history"),
                             (("wallet", "lst"), "wallet list"),
                             (("filter", "buidl"), "filter build"),
                             (("address", "nwe"), "address new"),
                             (("help", "snyc"), "sync")):
            with self.subTest(words=words):
                self.assertIn(f"'{right}'", self.failure(2, *words)["hint"])

    def test_what_is_nothing_like_it_is_not_suggested(self):
        for words, where in ((("transmogrify",), "--help"),
                             (("wallet", "transmogrify"), "help wallet"),
                             (("balance", "--transmogrify"), "help"),
                             (("balance", "--chain", "elsewhere"), "regtest"),
                             (("q",), "--help")):
            with self.subTest(words=words):
                hint = self.failure(2, *words)["hint"]
                self.assertNotIn("did you mean", hint)
                self.assertIn(where, hint)

    def test_what_is_no_text_is_answered_in_text(self):
        no_text = b"\xff"
        for words, shown in (
                (("help", no_text), "\ufffd"),
                (("decode", "tx", no_text), "\ufffd"),
                (("--chain", b"\xc0\xaf\xed\xa0\x80x", "balance"), "\ufffdx"),
                (("--chain", b"\xf4\x90\x80\x80" + "\u00e9\u20ac\U0001f600"
                  .encode(), "balance"), "\ufffd\u00e9\u20ac\U0001f600"),
                (("decode", "tx", b"z" * 79 + "\u00e9".encode()), "z\ufffd"),
                (("--chain", "\u00e9".encode() * 300, "balance"), "\u00e9")):
            with self.subTest(words=words):
                answer = self.run_program("--json", *words)
                error = json.loads(answer.out)["error"]
                self.assertIn(shown, error["message"])
                self.assertIn(error["message"], self.run_program(*words).err)

    def test_no_argument_commands_the_terminal(self):
        obeyed = "\x1b[31m\x07\n\x7f\u009b\u061c\u200f\u2028\u202e\u2066"
        for words in (("help", obeyed), ("--chain", obeyed, "balance"),
                      ("conform", "--only", obeyed),
                      ("conform", "--format", obeyed),
                      ("--regtest", "conform", "--connect", "127.0.0.1:1",
                       "--seed", obeyed),
                      ("conform", "serve", "--listen", obeyed),
                      ("conform", "serve", "--pay", obeyed)):
            with self.subTest(words=words):
                error = self.failure(2, *words)
                for character in set(obeyed) - set("[31m"):
                    self.assertNotIn(character, str(error["message"]))
                    self.assertNotIn(character, str(error["hint"]))
                self.assertNotIn("\x1b", self.run_program(*words).err)

    def test_misuse_is_refused(self):
        for args in ((), ("wallet",), ("balance", "extra"), ("tx", "show"),
                     ("balance", "--until", "5"), ("sync", "--until"),
                     ("balance", "--json=1"), ("-x", "balance"),
                     ("--chain", "moon", "balance"),
                     ("--datadir", "", "balance"), ("--wallet=", "balance"),
                     ("--color", "pink", "balance"),
                     ("--log-level", "loud", "balance")):
            with self.subTest(args=args):
                self.failure(2, *args)

    def test_what_comes_later_is_refused_and_not_in_the_help(self):
        everything = self.text("--help")
        for words in (("send", "x", "1btc", "--fee-rate", "2"), ("bump", "x"),
                      ("abandon", "x"), ("psbt", "create")):
            with self.subTest(words=words):
                error = self.failure(2, *words)
                self.assertIn("not in this version", error["message"])
                self.assertNotRegex(everything, rf"(?m)^  {words[0]}\b")

    def test_a_proxy_is_refused_rather_than_ignored(self):
        self.restore()
        for args, env in ((("--proxy", "localhost:9050"), {}),
                          ((), {"SPVCLIENT_PROXY": "localhost:9050"})):
            error = self.failure(2, "--regtest", "sync", "--connect",
                                 "localhost", *args, env=env)
            self.assertIn("not supported in this version", error["message"])

    def test_secrets_are_refused_on_the_command_line_and_not_repeated(self):
        for option in ("--mnemonic", "--passphrase", "--private-key",
                       "--password", "--new-password"):
            for args in ((option, "hunter2 words"), (option + "=hunter2",)):
                with self.subTest(args=args):
                    error = self.failure(2, "wallet", "restore", *args)
                    self.assertNotIn("hunter2", json.dumps(error))
                    self.assertIn("-stdin", error["hint"])
        error = self.failure(2, "wallet", "restore", "hunter2", "hunter2")
        self.assertNotIn("hunter2", json.dumps(error))
        self.failure(2, "wallet", "list", env={"SPVCLIENT_MNEMONIC": "x"})

    def test_an_operand_may_look_like_an_option(self):
        self.failure(3, "filter", "show", "--", "--no-such-file")


class Precedence(ProgramTest):
    def conf(self, text):
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / "spvclient.conf").write_text(text)

    def missing(self, *args, **options):
        """The wallet that a run looked for in vain, and on which network."""
        error = self.failure(3, "balance", *args, **options)
        return re.search(r"no wallet called '(.*)' for (.*) in ",
                         error["message"]).groups()

    def test_command_line_beats_environment_beats_file(self):
        self.conf("wallet=file\nregtest=1\n")
        env = {"SPVCLIENT_WALLET": "environment", "SPVCLIENT_CHAIN": "signet"}
        self.assertEqual(self.missing(), ("file", "regtest"))
        self.assertEqual(self.missing(env=env), ("environment", "signet"))
        self.assertEqual(self.missing("--wallet", "argument", env=env),
                         ("argument", "signet"))
        self.assertEqual(self.missing("--chain", "main", env=env),
                         ("environment", "main"))

    def test_a_section_counts_for_its_network_only(self):
        self.conf("# settings\nwallet = all\n\n[regtest]\nwallet=mine  # yes\n"
                  "[test]\nwallet=tests\n")
        self.assertEqual(self.missing(), ("all", "main"))
        self.assertEqual(self.missing("--regtest"), ("mine", "regtest"))
        self.assertEqual(self.missing("--testnet3"), ("tests", "testnet3"))

    def test_a_key_may_carry_its_network(self):
        self.conf("regtest.wallet=mine\n")
        self.assertEqual(self.missing("--regtest"), ("mine", "regtest"))
        self.assertEqual(self.missing(), ("default", "main"))

    def test_switches_are_on_or_off(self):
        self.conf("json=1\n")
        self.assertEqual(json.loads(self.text("wallet", "list")), [])
        self.assertEqual(self.text("wallet", "list", "--no-json"), "")
        self.assertEqual(
            self.text("wallet", "list", env={"SPVCLIENT_JSON": "0"}), "")

    def test_a_chain_s_switch_can_be_turned_off_too(self):
        self.conf("regtest=1\n")
        self.assertEqual(self.missing(), ("default", "regtest"))
        self.assertEqual(self.missing("--no-regtest"), ("default", "main"))
        self.assertEqual(self.missing("--no-signet"), ("default", "regtest"))
        self.assertEqual(self.missing(env={"SPVCLIENT_REGTEST": "0"}),
                         ("default", "main"))
        self.assertEqual(self.missing("--regtest", "--no-regtest"),
                         ("default", "main"))
        self.assertEqual(self.missing("--no-regtest", "--regtest"),
                         ("default", "regtest"))
        self.assertEqual(self.missing("--no-regtest", "--signet"),
                         ("default", "signet"))
        self.conf("chain=regtest\n")
        self.assertEqual(self.missing("--no-regtest"), ("default", "main"))
        self.assertEqual(self.missing("--no-testnet3"), ("default", "regtest"))

    def test_wrong_settings_name_the_line_and_the_nearest(self):
        for text, line, part in (("wallte=x\n", 1, "'wallet'"),
                                 ("\n[regtset]\n", 2, "[regtest]"),
                                 ("[regtest]\n\nconect=x\n", 3, "'connect'")):
            with self.subTest(text=text):
                self.conf(text)
                error = self.failure(2, "balance")
                self.assertIn(f"line {line}", error["message"])
                self.assertIn(part, error["hint"])
        for text in ("just words\n", "json=maybe\n", "help=1\n", "until=3\n",
                     "wallet=\n",
                     "[main\n", "[regtest]\nchain=main\n", "mnemonic=a b\n"):
            with self.subTest(text=text):
                self.conf(text)
                self.failure(2, "balance")

    def test_an_unknown_variable_names_the_nearest(self):
        error = self.failure(2, "balance", env={"SPVCLIENT_CHIAN": "regtest"})
        self.assertIn("'chain'", error["hint"])
        self.assertIn("SPVCLIENT_CHIAN", error["message"])

    def test_a_pipe_in_the_place_of_the_settings_is_not_waited_for(self):
        self.data.mkdir(parents=True)
        os.mkfifo(self.data / "spvclient.conf")
        self.assertIn("pipe", self.failure(1, "wallet", "list")["message"])

    def test_many_lines_are_read(self):
        self.data.mkdir(parents=True)
        (self.data / "spvclient.conf").write_text(
            "connect=127.0.0.1\n" * 10_000 + "nonsense=1\n")
        self.assertIn("line 10001", self.failure(2, "balance")["message"])

    def test_a_named_file_has_to_exist(self):
        self.failure(3, "balance", "--conf", self.home / "none.conf")
        (self.home / "some.conf").write_text("wallet=some\n")
        self.assertEqual(self.missing("--conf", "some.conf"), ("some", "main"))

    def test_data_lies_where_xdg_says(self):
        self.text("--regtest", "wallet", "create",
                  env={"XDG_DATA_HOME": str(self.home / "xdg")})
        self.assertTrue((self.home / "xdg/spvclient/regtest").is_dir())
        self.text("--regtest", "wallet", "create")
        self.assertTrue((self.data / "regtest").is_dir())
        self.failure(2, "wallet", "list", env={"HOME": ""})

    def test_a_file_is_no_data_folder(self):
        (self.home / "file").write_text("")
        error = self.failure(2, "balance", "--datadir", self.home / "file")
        self.assertIn("is a file, not a folder", error["message"])

    def test_help_is_given_even_when_the_settings_are_broken(self):
        self.conf("nonsense\n")
        self.assertIn("usage", self.text("--help"))


class Output(ProgramTest):
    def test_version_and_help(self):
        self.assertRegex(self.text("--version"), r"^spvclient \d+\.\d+\.\d+\n$")
        self.assertEqual(self.document("--version")["name"], "spvclient")
        self.assertEqual(self.text("help", "filter", "size"),
                         self.text("filter", "size", "--help"))
        self.assertIn("--fp-rate", self.text("filter", "size", "--help"))

    def test_every_command_has_its_own_help(self):
        for command in self.document("--help")["commands"]:
            with self.subTest(command=command["name"]):
                words = command["name"].split()
                self.assertIn(command["help"].split()[0],
                              self.text("help", *words))
                for option in command["options"]:
                    self.assertIn("--" + option["name"],
                                  self.text("help", *words))
                if command["alias"]:
                    self.assertEqual(self.document("help", command["alias"]),
                                     self.document("help", *words))

    def test_a_full_disk_is_a_failure(self):
        for args in (("--help",), ("filter", "size", "--elements", "9"),
                     ("filter", "test", "01ff0100000000000000" + "00", "aa"),
                     ("balance", "--json"),
                     ("conform", "serve", "--scenario", "honest")):
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                answer = self.run_program(*args, stdout=full)
                self.assertNotEqual(answer.code, 0)
                self.assertIn("spvclient: ", answer.err)

    def test_a_reader_that_has_seen_enough_is_nothing_to_speak_of(self):
        reader, writer = os.pipe()
        os.close(reader)
        program = subprocess.Popen(
            [PROGRAM, "conform", "--list"], stdout=writer,
            stderr=subprocess.PIPE, env=self.environment({}))
        os.close(writer)
        with program.stderr:
            self.assertEqual(program.stderr.read(), b"")
        self.assertEqual(program.wait(60), 1)

    def test_logs_go_to_their_file(self):
        log = self.home / "log"
        answer = self.run_program("--regtest", "wallet", "create",
                                  "--log-file", log)
        self.assertEqual((answer.code, answer.err), (0, ""))
        self.assertRegex(log.read_text(), r"^\d{4}-\d\d-\d\dT.*mnemonic")
        mnemonic = re.search(r"mnemonic +(.*)", answer.out)[1]
        self.assertNotIn(mnemonic, log.read_text())

    def test_quiet_leaves_the_answer_alone(self):
        answer = self.run_program("--regtest", "wallet", "create", "-q")
        self.assertEqual((answer.code, answer.err), (0, ""))
        self.assertIn("mnemonic", answer.out)

    def test_color_only_when_asked_for(self):
        for args, env, colored in ((("--color", "always"), {}, True),
                                   ((), {}, False),
                                   (("--color", "always"), {"NO_COLOR": "1"},
                                    True),
                                   (("--color", "never"), {}, False)):
            answer = self.run_program("nonsense", *args, env=env)
            self.assertEqual("\033[" in answer.err, colored)

    def test_color_ends_before_its_line_does(self):
        self.restore()
        self.text("--regtest", "address", "new")
        titles = self.text("--regtest", "address", "list", "--color",
                           "always").splitlines()[0]
        self.assertRegex(titles, r"^\033\[1mADDRESS.*\033\[0m$")

    def told(self, *args, stdin="", code=0):
        """What is said on the side, and the hint as text and in JSON."""
        plain = self.run_program(*args, stdin=stdin)
        self.assertEqual(plain.code, code, plain.err)
        if not code:
            return plain.err
        error = json.loads(self.run_program("--json", *args, stdin=stdin).out)
        self.assertIn(error["error"]["hint"], plain.err)
        return plain.err

    def test_a_command_that_is_named_means_this_network_and_wallet(self):
        for chain, option in ((("--regtest",), "--regtest "),
                              (("--chain", "testnet3"), "--testnet3 "),
                              (("--signet",), "--signet "), ((), "")):
            for wallet, name in (((), ""),
                                 (("--wallet", "mine"), "--wallet mine ")):
                place = option + name
                run = (*chain, *wallet)
                with self.subTest(place=place):
                    self.assertIn(f"'spvclient {place}wallet create'",
                                  self.told(*run, "balance", code=3))
                    self.assertIn(f"'spvclient {place}wallet encrypt'",
                                  self.told(*run, "wallet", "create"))
                    self.assertIn(f"'spvclient {place}sync'",
                                  self.told(*run, "balance"))

    def test_a_noun_of_one_command_names_it(self):
        for words, right in ((("tx", "ab" * 32), "'tx show'"),
                             (("proof", "00" * 80), "'proof verify'")):
            with self.subTest(words=words):
                self.assertIn(right, self.failure(2, *words)["hint"])

    def test_several_nodes_may_stand_in_one_list(self):
        self.restore()
        nodes = ("127.0.0.1:1", "127.0.0.1:2")
        for args, env in ((("--connect", ",".join(nodes)), {}),
                          ((), {"SPVCLIENT_CONNECT": ",".join(nodes)})):
            told = self.run_program("--regtest", "sync", "--timeout", "1",
                                    *args, env=env)
            self.assertNotEqual(told.code, 2, told.err)
            for node in nodes:
                self.assertIn(node, told.err)

    def test_a_list_of_no_nodes_is_no_leave_to_find_some(self):
        self.restore()
        for args, env in ((("--connect", ","), {}),
                          ((), {"SPVCLIENT_CONNECT": " , "})):
            error = self.failure(2, "--regtest", "sync", *args, env=env)
            self.assertIn("'connect' needs a value", error["message"])

    def test_help_says_which_options_are_no_settings(self):
        said = " ".join(self.text("--help").split())
        self.assertIn("All but --version and --help can also stand in", said)
        for name in ("version", "help", "until"):
            self.failure(2, "wallet", "list",
                         env={f"SPVCLIENT_{name.upper()}": "1"})
        for option in self.document("--help")["options"]:
            if option["name"] not in ("version", "help"):
                (self.home / "conf").write_text(f"{option['name']}=1\n")
                error = self.run_program("--conf", "conf", "wallet", "list")
                self.assertNotIn("command line", error.err, option["name"])

    def test_a_command_that_is_about_no_wallet_names_none(self):
        self.restore("--wallet", "mine")
        self.assertIn("'spvclient --regtest peers add ",
                      self.told("--regtest", "--wallet", "mine", "sync",
                                code=5))

    def test_help_that_is_named_is_help_alone(self):
        error = self.failure(2, "--regtest", "balance", "extra")
        self.assertIn("'spvclient help balance'", error["hint"])

    def test_a_name_that_is_none_is_no_advice(self):
        error = self.failure(2, "--regtest", "--wallet", "\x1b[2J", "balance")
        self.assertNotIn("\x1b", json.dumps(error))

    def test_what_is_told_on_the_side_says_what_it_is(self):
        told = self.run_program("--regtest", "wallet", "create").err
        self.assertRegex(told, r"^spvclient: note: write the mnemonic down")
        told = self.run_program("wallet", "list").err
        self.assertEqual(told, "spvclient: note: no wallets on main\n")
        log = self.home / "log"
        self.run_program("wallet", "list", "--log-file", log)
        self.assertRegex(log.read_text(), r"Z note: no wallets on main\n$")


if __name__ == "__main__":
    unittest.main()
