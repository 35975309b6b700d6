"""A wallet whose secret is encrypted, and ways to get at it."""

from program import ProgramTest

PASSWORD = "open sesame"


class SecretTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.wallets = self.data / "regtest/wallets"
        self.secret = self.wallets / "default.secret"

    def lines(self, *lines):
        return "".join(line + "\n" for line in lines)

    def encrypt(self, *args, password=PASSWORD):
        return self.document("--regtest", "wallet", "encrypt",
                             "--password-stdin", *args,
                             stdin=self.lines(password))

    def back_up(self, *args, password=PASSWORD):
        return self.document("--regtest", "wallet", "backup",
                             "--password-stdin", *args,
                             stdin=self.lines(password))

    def backup_fails(self, code, *args, password=PASSWORD):
        return self.failure(code, "--regtest", "wallet", "backup",
                            "--password-stdin", *args,
                            stdin=self.lines(password))
