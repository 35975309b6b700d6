"""The manual and the reference say what the program's own tables say."""

import re
import shutil
import subprocess
import unittest

from program import EXIT_CODES, ROOT, ProgramTest


class Manual(ProgramTest):
    def setUp(self):
        super().setUp()
        self.help = self.document("--help")
        page = (ROOT / "docs/spvclient.1").read_text()
        page = page.replace("\\(aq", "'").replace("\\e", "\\")
        self.page = re.sub(r"\\f[BIR]", "", page).replace("\\-", "-")
        self.options = {o["name"]: o for o in self.help["options"]}
        for command in self.help["commands"]:
            self.options.update({o["name"]: o for o in command["options"]})

    def test_the_manual_lists_every_command_and_its_options(self):
        for command in self.help["commands"]:
            with self.subTest(command=command["name"]):
                line = " ".join(filter(None, (command["name"],
                                              command["needs"],
                                              command["arguments"])))
                for option in command["options"]:
                    value = " " + option["value"] if option["value"] else ""
                    usage = f"--{option['name']}{value}"
                    if usage != command["needs"]:
                        line += f" [{usage}]"
                self.assertIn(f"\n.B {line}\n", self.page)

    def test_the_manual_says_of_options_what_the_help_says(self):
        for option in self.options.values():
            with self.subTest(option=option["name"]):
                letter = f"-{option['letter']}, " if option["letter"] else ""
                value = f" {option['value']}" if option["value"] else ""
                self.assertIn(f"\n.TP\n{letter}--{option['name']}{value}\n"
                              f"{option['help']}\n", self.page)

    def test_the_manual_lists_no_other_options(self):
        listed = re.findall(r"\n\.TP\n(?:-\w, )?--([a-z0-9-]+)", self.page)
        self.assertEqual(sorted(listed), sorted(self.options))

    def test_the_reference_knows_every_command_and_option(self):
        reference = (ROOT / "docs/cli.md").read_text()
        for command in self.help["commands"]:
            noun, _, verb = command["name"].partition(" ")
            known = (f"`{command['name']}" in reference or
                     re.search(rf"`{noun} [a-z|]*\b{verb}\b", reference))
            self.assertTrue(known, command["name"])
        for name in self.options:
            self.assertRegex(reference, rf"--{name}\b")

    def test_both_list_every_exit_code(self):
        status = self.page.partition("EXIT STATUS")[2].partition(".SH")[0]
        listed = {int(n) for n in re.findall(r"\.B (\d+)\n", status)}
        self.assertEqual(listed, EXIT_CODES)
        reference = (ROOT / "docs/cli.md").read_text()
        listed = {int(n) for n in re.findall(r"(?m)^\| (\d+) \|", reference)}
        self.assertEqual(listed, EXIT_CODES)

    def test_the_reference_lists_every_error_and_rule(self):
        reference = (ROOT / "docs/cli.md").read_text()
        for header, pattern in (("err.h", r"X\((\w+), -\d+,"),
                                ("merkle.h", r"X\(\w+, \"([a-z-]+)\"\)")):
            names = set(re.findall(
                pattern, (ROOT / "include/spv" / header).read_text()))
            self.assertTrue(names)
            for name in names - {"accepted", "out-of-memory"}:
                self.assertIn(f"`{name}`", reference)

    def test_the_manual_is_of_this_version(self):
        version = self.document("--version")["version"]
        self.assertIn(f'"spvclient {version}"', self.page)

    def test_the_manual_is_good_roff(self):
        groff = shutil.which("groff")
        if not groff:
            self.skipTest("groff is not installed")
        done = subprocess.run([groff, "-man", "-ww", "-z",
                               ROOT / "docs/spvclient.1"],
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
