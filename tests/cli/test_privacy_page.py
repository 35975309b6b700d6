"""privacy --html and filter size --svg, as a real browser shows them.

Without one (chromium, or Chrome) all of it is skipped: exit code 77.
"""

import sys
import unittest

import browser
from program import ProgramTest

WINDOWS = [(width, scheme) for width in (1280, 700, 390)
           for scheme in ("light", "dark")]

# Every text that is seen, with its color and what is behind it.
TEXTS = """(() => {
  const seen = c => c && c !== 'none' && !/, 0\\)$/.test(c);
  const behind = e => {
    const chart = e.closest('svg');
    if (chart)
      return getComputedStyle(chart.querySelector('rect')).fill;
    for (; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (seen(color))
        return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const own = e => [...e.childNodes].some(
      n => n.nodeType === 3 && n.data.trim());
  return [...document.querySelectorAll('body *, svg *')].filter(
      e => own(e) && e.tagName !== 'title').map(e => {
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    return {text: e.textContent.trim(), back: behind(e),
            color: e.closest('svg') ? style.fill : style.color,
            size: parseFloat(style.fontSize) *
                  (e.closest('svg') ? e.closest('svg').getBoundingClientRect()
                                       .width / 800 : 1)};
  });
})()"""

# Of each chart: its box, its texts' boxes, and how long its curves are.
CHARTS = """[...document.querySelectorAll('svg')].map(chart => {
  const box = e => {
    const b = e.getBoundingClientRect();
    return [b.left, b.top, b.right, b.bottom];
  };
  return {box: box(chart),
          texts: [...chart.querySelectorAll('text')].filter(
              t => t.textContent).map(t => [t.textContent, box(t)]),
          curves: [...chart.querySelectorAll('path[stroke-width]')].map(
              p => p.getTotalLength())};
})"""

WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"


def luminance(color):
    channels = [float(x) / 255
                for x in color[color.index("(") + 1:-1].split(",")[:3]]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
               for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    """As WCAG 2 counts it: 4.5 is enough to read small text."""
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def overlap(a, b):
    return (min(a[2], b[2]) - max(a[0], b[0]) > 1 and
            min(a[3], b[3]) - max(a[1], b[1]) > 1)


@unittest.skipUnless(browser.find(), "there is no browser")
class Page(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = browser.Browser(browser.find())
        cls.addClassCleanup(cls.browser.close)

    def look(self, name, width, scheme):
        self.browser.show((self.home / name).as_uri(), width, scheme=scheme)

    def check_asks_nobody(self):
        urls = [e["request"]["url"]
                for e in self.browser.happened("Network.requestWillBeSent")]
        self.assertEqual(len(urls), 1, urls)
        self.assertTrue(urls[0].startswith("file:"))
        for trouble in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                        "Log.entryAdded"):
            self.assertEqual(self.browser.happened(trouble), [])

    def check_can_be_read(self):
        texts = self.browser.value_of(TEXTS)
        self.assertGreater(len(texts), 5)
        for text in texts:
            self.assertGreaterEqual(contrast(text["color"], text["back"]), 4.5,
                                    text)
            self.assertGreater(text["size"], 7, text)

    def check_charts(self, n):
        charts = self.browser.value_of(CHARTS)
        self.assertEqual(len(charts), n)
        for chart in charts:
            left, top, right, bottom = chart["box"]
            for i, (text, box) in enumerate(chart["texts"]):
                self.assertTrue(left <= box[0] and box[2] <= right and
                                top <= box[1] and box[3] <= bottom, text)
                for other, other_box in chart["texts"][:i]:
                    self.assertFalse(overlap(box, other_box), (text, other))
            hidden = sum("below the chart" in t for t, _ in chart["texts"])
            seen = [length for length in chart["curves"] if length > 20]
            self.assertEqual(len(seen), len(chart["curves"]) - hidden)

    def test_the_page_is_fit_to_be_seen(self):
        self.restore()
        self.document("--regtest", "privacy", "--html", "page.html")
        for width, scheme in WINDOWS:
            with self.subTest(width=width, scheme=scheme):
                self.look("page.html", width, scheme)
                self.check_asks_nobody()
                self.check_can_be_read()
                self.check_charts(2)
                needed, there = self.browser.value_of(WIDTHS)
                self.assertLessEqual(needed, there)
                self.assertEqual(there, width)
                back = self.browser.value_of(
                    "getComputedStyle(document.body).backgroundColor")
                self.assertEqual(luminance(back) < 0.2, scheme == "dark")

    def test_the_plot_is_fit_to_be_seen(self):
        for i, (elements, rate) in enumerate((
                ("2000", "0.001"), ("20000", "0.0001"), ("1", "0.9"),
                ("1000000", "0.01"), ("100000000000", "1e-9"),
                ("3", "1e-300"))):
            with self.subTest(elements=elements, rate=rate):
                self.document("filter", "size", "--elements", elements,
                              "--fp-rate", rate, "--svg", f"{i}.svg")
                self.look(f"{i}.svg", 1280, "light")
                self.check_asks_nobody()
                self.check_can_be_read()
                self.check_charts(1)


if __name__ == "__main__":
    if not browser.find():
        print("SKIPPED: there is no browser to look at the page with "
              f"({', '.join(browser.NAMES)})", file=sys.stderr)
        sys.exit(77)
    unittest.main()
