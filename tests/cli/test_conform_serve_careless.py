"""Scripted nodes: what they make of clients that are wrong."""

from careless import Careless, bits_of, element_of, filterload, getdata
from serving import CODES, ServeTest, failed, main

# P2WPKH: addresses of the wallet that everybody knows.
PAID = ("bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk",
        "bcrt1qd7spv5q28348xl4myc8zmh983w5jx32cs707jh")
NEVER_CAME = (r"^\d+ of \d+ blocks that pay or spend were served under filters "
              r"that did not match it all: \d+ transactions? never came")


class CarelessClient(ServeTest):
    """The table can be failed, and in the right place."""

    def verdict_on(self, scenarios, visit, verdict="fail"):
        server = self.serve(*scenarios)
        visit(server.at)
        report = server.report()
        self.assertEqual(report["verdict"], verdict, report)
        self.assertEqual(server.code, CODES[verdict])
        return report["nodes"]

    def serve_two(self):
        """Two addresses are paid; what a filter holds for each."""
        return self.serve("honest", more=("--pay", PAID[0], "--pay", PAID[1]))

    def assert_lacks(self, server, verdict="fail"):
        node, = server.report()["nodes"]
        self.assertEqual(node["verdict"], verdict, node)
        self.assertEqual(failed(node),
                         {"complete"} if verdict == "fail" else set())
        reason = node["checks"][-1]["reason"]
        if verdict == "fail":
            self.assertRegex(reason, NEVER_CAME)
        return reason

    def test_whose_filter_matches_nothing_has_nothing(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bytes(8))
        truth = server.truth
        self.assertEqual(
            self.assert_lacks(server).split(",")[0],
            "{blocks} of {blocks} blocks that pay or spend were served under "
            "filters that did not match it all: {transactions} transactions "
            "never came".format(**truth))

    def test_whose_filter_lacks_an_address_is_seen(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of([element_of(PAID[0])]))
        self.assert_lacks(server)

    def test_whose_filter_never_holds_its_coins_is_seen(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of(map(element_of, PAID)), flags=0)
        self.assert_lacks(server)

    def test_whose_filter_holds_all_of_it_has_all(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of(map(element_of, PAID)))
        self.assert_lacks(server, "pass")

    def test_who_asks_again_under_other_filters_has_all(self):
        server = self.serve_two()
        with Careless(server.at[0]) as client:
            client.sync(bits=bits_of([element_of(PAID[0])]))
            client.sync(bits=bytes(8))
            client.sync(bits=bits_of([element_of(PAID[1])]))
        self.assert_lacks(server, "pass")

    def test_another_node_counts_for_what_it_really_gave(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync(at_a_time=240)
            with Careless(at[1]) as client:
                client.sync(bits=bytes(8))

        liar, honest = self.verdict_on(["false_proof", "honest"], visit)
        self.assertEqual(failed(liar), {"asks_elsewhere", "complete"})
        self.assertEqual(failed(honest), {"complete"})

    def test_who_had_asked_for_everything_before_the_lie_cannot_be_told(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync(at_a_time=240)

        for scenario in ("false_proof", "withhold_tx", "orphan_flood"):
            with self.subTest(scenario):
                node, = self.verdict_on([scenario], visit, "skipped")
                leaves, = (c for c in node["checks"] if c["id"] == "leaves")
                self.assertEqual(leaves["result"], "skipped")
                self.assertIn("cannot be told", leaves["reason"])

    def test_nor_if_it_began_at_a_birthday(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.say("filterload", filterload())
                client.say("getdata", getdata(client.headers()[-100:]))
                client.fence()

        self.verdict_on(["false_proof"], visit, "skipped")

    def test_who_leaves_as_it_reads_the_lie_is_right(self):
        def visit(at):
            with Careless(at[0]) as client:
                hashes = client.headers()
                client.say("filterload", filterload())
                client.say("getdata", getdata(hashes))
                client.until("merkleblock")

        node, = self.verdict_on(["false_proof"], visit, "pass")
        self.assertLess(node["left_after_ms"], 2000)

    def test_what_was_not_sent_was_not_had(self):
        """The honest node is asked for the blocks of the lies alone."""
        def visit(at):
            with Careless(at[0]) as client:
                hashes = client.headers()
                client.say("filterload", filterload())
                client.say("getdata", getdata(hashes))
                client.until("merkleblock")
            with Careless(at[1]) as client:
                client.say("filterload", filterload())
                client.say("getdata", getdata(client.headers()[:1]))
                client.fence()

        liar, honest = self.verdict_on(["withhold_tx", "honest"], visit)
        self.assertEqual(liar["lies"], 1)
        self.assertEqual(failed(honest), {"complete"})
        self.assertIn("51 of 51 blocks", honest["checks"][-1]["reason"])

    def test_who_names_a_header_of_the_lie_took_the_bait(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync(at_a_time=240)

        for scenario in ("easy_header", "headers_gap"):
            with self.subTest(scenario):
                node, = self.verdict_on([scenario], visit)
                self.assertEqual(failed(node), {"asks_no_more"})
                self.assertTrue(node["took_the_bait"])
                self.assertEqual(node["asked"]["after_lie"], 1)

    def test_two_who_compare_nothing_are_not_right_together(self):
        def visit(at):
            for address in at:
                with Careless(address) as client:
                    client.sync(at_a_time=240)

        liar, honest = self.verdict_on(["false_proof", "honest"], visit,
                                       "skipped")
        self.assertEqual(liar["verdict"], "skipped")
        self.assertEqual(honest["verdict"], "pass")

    def test_who_asks_before_there_is_a_filter_is_seen(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync(loads=False)

        node, = self.verdict_on(["honest"], visit)
        self.assertEqual(failed(node), {"filter_first", "complete"})
        self.assertEqual(node["asked"]["before_filter"], 240)
        self.assertTrue(node["relay"])
        self.assertIsNone(node["filter"])

    def test_who_goes_on_with_a_liar_took_the_bait(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync()

        liar, honest = self.verdict_on(["false_proof", "honest"], visit)
        self.assertEqual(failed(liar), {"asks_no_more", "asks_elsewhere",
                                        "complete"})
        self.assertTrue(liar["took_the_bait"])
        self.assertEqual(liar["lies"], 240)
        self.assertEqual(liar["asked"]["after_lie"], 4)
        self.assertEqual(honest["connections"], 0)
        self.assertEqual(honest["verdict"], "skipped")

    def test_who_comes_back_to_a_liar_took_the_bait(self):
        def visit(at):
            for _ in range(2):
                with Careless(at[0]) as client:
                    client.sync(at_a_time=240)
            with Careless(at[1]) as client:
                client.sync()

        liar, honest = self.verdict_on(["false_proof", "honest"], visit)
        self.assertEqual(failed(liar), {"asks_no_more"})
        self.assertEqual(liar["connections"], 2)
        self.assertEqual(liar["asked"]["refetched"], 240)
        self.assertEqual(honest["verdict"], "pass")

    def test_who_compares_nothing_believes_what_was_left_out(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync()

        liar, _ = self.verdict_on(["omit_all", "honest"], visit)
        self.assertIn("compares", failed(liar))
        self.assertGreater(liar["omissions"], 50)
        self.assertTrue(liar["took_the_bait"])

    def test_who_does_not_wait_for_its_filter_is_seen(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.sync()

        node, = self.verdict_on(["late_filter"], visit)
        self.assertEqual(failed(node), {"waits"})
        self.assertFalse(node["fenced"])

    def test_who_sends_a_filter_where_none_is_served_is_seen(self):
        def visit(at):
            with Careless(at[0]) as client:
                client.say("filterload", filterload())
                self.assertRaises((EOFError, OSError), client.fence)
            with Careless(at[1]) as client:
                client.sync()

        node, honest = self.verdict_on(["no_bloom", "honest"], visit)
        self.assertEqual(failed(node), {"no_filter"})
        self.assertIsNone(node["filter"])
        self.assertEqual(node["received"]["filterload"], 1)
        self.assertEqual(honest["verdict"], "pass")

    def test_who_stays_with_a_liar_is_seen(self):
        server = self.serve("garbage", more=("--timeout", "1"))
        with Careless(server.at[0]):
            report = server.report()
        node, = report["nodes"]
        self.assertEqual(failed(node), {"leaves"})
        self.assertEqual(server.code, 1)

    def test_what_it_says_is_told(self):
        server = self.serve("honest")
        with Careless(server.at[0]) as client:
            client.say("filterload", filterload(b"\x0f" * 4, 2, 99, 2))
            client.say("filteradd", b"\x02hi")
            client.say("sendheaders")
            client.say("notamessage")
            client.fence()
            client.say("filterclear")
            client.fence()
        node, = server.report()["nodes"]
        self.assertEqual(node["user_agent"], "/careless/")
        self.assertEqual(node["filter"], {
            "loads": 1, "bytes": 4, "hash_functions": 2, "tweak": 99,
            "flags": 2, "fp_rate": 0.25})
        self.assertEqual((node["filter_adds"], node["filter_clears"]), (1, 1))
        self.assertEqual(node["received"]["ping"], 2)
        self.assertEqual(node["received"]["unknown"], 1)
        self.assertIsNone(node["fenced"])  # it asked for no filtered block


if __name__ == "__main__":
    main()
