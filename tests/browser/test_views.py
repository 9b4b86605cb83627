#!/usr/bin/env python3
"""What the page shows: many views, what moves and what must not, lineage, charts, themes, and what
a screen reader finds.

How quick the page is is counted, not timed: how many nodes each step touches.
"""

import json
import subprocess
import unittest
from pathlib import Path

from fake_host import (
    FakeHost,
    make_event,
    make_lock,
    make_namespace,
    make_run,
    make_view,
    many_views,
    refresh_record,
)
from page import Keys, PageTest
from selenium.webdriver.common.action_chains import ActionChains

ROOT = Path(__file__).resolve().parents[2]

COUNT_CHANGES = """
window.changes = [];
new MutationObserver(records => records.forEach(record => window.changes.push(
    `${record.type} ${record.attributeName ?? ''} ${record.target.nodeName} ` +
    (record.target.closest ? record.target : record.target.parentElement)
        ?.closest('.card')?.dataset.view)))
.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
"""


class Views(PageTest):
    def show(self, views, address="", wait_for=".card"):
        self.serve(views)
        self.open(address, wait_for)

    def count_changes(self):
        self.script(COUNT_CHANGES)

    def changes(self):
        return self.script("const all = window.changes; window.changes = []; return all")

    def poll(self):
        """One poll, whole: both of its questions answered, and what they say drawn."""
        asked = self.host.requests.count(("GET", "/health"))
        self.poll_now()
        self.wait("a poll", lambda: self.host.requests.count(("GET", "/health")) > asked)
        self.browser.execute_async_script("setTimeout(arguments[0], 60)")

    def order_by(self, value):
        self.script(
            "const sort = document.getElementById('sort'); sort.value = arguments[0];"
            "sort.dispatchEvent(new Event('change'))",
            value,
        )


class ManyViews(Views):
    def setUp(self):
        self.show(many_views(500))
        self.see_text("500 views", "#total")

    def test_a_filter_touches_what_it_hides_and_nothing_else(self):
        self.count_changes()
        self.click("#search")
        self.keys("view_12")
        self.see_text("10 of 500 views", "#total")
        self.assertEqual(self.shown_names(), [f"view_12{digit}" for digit in range(10)])
        changes = self.changes()
        hidden = [each for each in changes if each.startswith("attributes hidden LI")]
        self.assertEqual(len(hidden), 490)
        self.assertLess(len(changes) - len(hidden), 40)

    def test_words_of_a_filter_must_all_be_there_in_any_field(self):
        self.click("#search")
        self.keys("TABLE_007 view_1")
        self.see_text("2 of 500 views", "#total")
        self.script("document.getElementById('search').value = ''")
        self.keys("per-node memory")
        self.see_text("10 of 500 views", "#total")

    def test_orders_and_their_reverse(self):
        self.order_by("duration")
        first = self.shown_names()[:2]
        longest = sorted(
            self.host.views.values(),
            key=lambda view: (-view["last_duration_seconds"], view["name"]),
        )
        self.assertEqual(first, [view["name"] for view in longest[:2]])
        self.click("#direction")
        self.assertEqual(self.shown_names()[-1], longest[0]["name"])
        self.click("#direction")
        self.order_by("status")
        self.assertTrue(all(name.endswith("7") for name in self.shown_names()[:10]))

    def test_an_order_moves_cards_and_makes_none(self):
        before = self.script("return [...document.querySelectorAll('.card')]")
        self.count_changes()
        self.order_by("refreshes")
        self.assertEqual(self.shown_names()[0], "view_499")
        changes = self.changes()
        self.assertLess(len([each for each in changes if each.startswith("childList")]), 1001)
        self.assertLess(len([each for each in changes if not each.startswith("childList")]), 10)
        after = self.script("return [...document.querySelectorAll('.card')]")
        self.assertEqual({each.id for each in before}, {each.id for each in after})

    def test_a_poll_without_news_touches_nothing(self):
        self.poll()
        self.count_changes()
        self.poll()
        self.assertEqual(self.changes(), [])

    def test_news_of_one_view_touch_that_card_alone(self):
        self.poll()
        self.count_changes()
        self.host.views["view_250"]["refreshes"] += 1
        self.poll()
        changes = self.changes()
        self.assertTrue(changes)
        self.assertEqual([each for each in changes if not each.endswith(" view_250")], [])
        self.assertLess(len(changes), 10)

    def test_status_buttons_count_and_choose(self):
        self.see_text("error 10", "#chips")
        self.click("#chips [data-status=error]")
        self.see_text("10 of 500 views", "#total")
        self.wait("the address", lambda: "status=error" in self.browser.current_url)

    def test_lineage_draws_all_of_them(self):
        self.click("#tab-lineage")
        self.see(".node.view")
        self.assertEqual(len(self.all(".node.view")), 500)
        overlapping = self.script(
            "const boxes = [...document.querySelectorAll('.node')].map(node => {"
            "  const [x, y] = node.getAttribute('transform').match(/-?[\\d.]+/g).map(Number);"
            "  return {x, y} });"
            "boxes.sort((a, b) => a.x - b.x || a.y - b.y);"
            "return boxes.filter((box, index) => index && boxes[index - 1].x === box.x"
            "  && box.y - boxes[index - 1].y < 42).length"
        )
        self.assertEqual(overlapping, 0)
        self.count_changes()
        self.poll()
        self.assertEqual(self.changes(), [])


class WhatMovesAndWhatNot(Views):
    def test_a_poll_leaves_focus_scroll_and_open_details_alone(self):
        self.show(many_views(60))
        self.open_panel("view_040", "refreshes")
        self.open_panel("view_040", "query")
        link = self.card("view_040").find_element("css selector", "tbody tr:nth-child(2) a")
        self.script("arguments[0].focus()", link)
        scrolled = self.script("return window.scrollY")
        self.assertGreater(scrolled, 0)
        for name in ("view_039", "view_040", "view_041"):
            view = self.host.views[name]
            view["history"] = [refresh_record(30)] + view["history"][:19]
            view["refreshes"] = 777
        self.poll()
        self.see_in_card("view_040", "777")
        self.assertEqual(self.focused().id, link.id)
        self.assertEqual(self.script("return window.scrollY"), scrolled)
        self.assertEqual(len(self.all(".panel:not([hidden])")), 2)

    def test_rows_do_not_change_places_under_a_hand(self):
        self.show([make_view(name) for name in ("a", "b", "c")], "#sort=errors")
        card = self.card("c")
        ActionChains(self.browser).move_to_element(card).perform()
        self.host.views["c"]["errors"] = 5
        self.poll()
        self.see_in_card("c", "5")
        self.assertEqual(self.shown_names(), ["a", "b", "c"])
        ActionChains(self.browser).move_to_element(self.one("h1")).perform()
        self.host.views["b"]["errors"] = 1
        self.poll()
        self.wait("the order", lambda: self.shown_names() == ["c", "b", "a"])

    def test_good_news_goes_and_bad_news_stays(self):
        error = {"code": "disk", "message": "the disk is full", "hint": None}
        self.show([make_view("a"), make_view("b")])
        self.host.next_refresh["b"] = {"action": "error", "error": error}
        self.act("a", "refresh")
        self.see("#news .toast")
        self.act("b", "refresh")
        self.see("#alarms .toast")
        self.see_gone("#news .toast")
        self.assertEqual(len(self.all("#alarms .toast")), 1)


class OneView(Views):
    def test_its_refreshes_are_told_with_ranges_rows_and_time(self):
        history = [
            refresh_record(
                0, ranges=[{"from": "2024-03-01", "to": "2024-03-02"}], null_bucket=True
            ),
            refresh_record(1, "none", ranges=[], rows_read=0, rows_written=0),
            refresh_record(2, ranges=[{"from": str(day), "to": None} for day in range(5)]),
            refresh_record(3, "rebuild", ranges=[{"from": None, "to": None}], rows_read=3000000),
        ]
        self.show([make_view("a", history=history)])
        self.open_panel("a", "refreshes")
        rows = [row.text for row in self.all(".panel tbody tr")]
        self.assertIn("incremental\n2024-03-01 … 2024-03-02\nNULL\n1,000 24 0 0.20 s", rows[0])
        self.assertIn("and 2 more", rows[2])
        self.assertIn("rebuild\neverything\n3,000,000 96 0 0.59 s", rows[3])
        self.assertEqual(len(self.all(".panel .chart")), 2)
        self.assertEqual(len(self.all(".panel figure:first-child .bar")), 4)
        label = self.one(".panel .chart").get_attribute("aria-label")
        self.assertEqual(label, "Duration of the last 4 refreshes: newest 0.20 s, largest 0.59 s")
        times = self.all(".panel tbody time")
        self.assertEqual(times[0].text, "2 h ago")
        self.assertRegex(times[0].get_attribute("title"), r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$")

    def test_queries_lead_to_where_the_engine_shows_them(self):
        self.show([make_view("a")])
        self.open_panel("a", "recent")
        link = self.see(".panel a")
        self.assertEqual(
            link.get_attribute("href"), self.host.views["a"]["recent_queries"][0]["url"]
        )
        self.assertEqual(link.get_attribute("rel"), "noopener noreferrer")

    def test_lag_waiting_and_the_next_try_are_told(self):
        late = {"lag_seconds": 95, "target_lag_seconds": 30, "lag_met": False}
        failed = {"status": "error", "error": "it broke", "next_attempt": "2124-01-01T00:00:00Z"}
        self.show(
            [
                make_view("late", waiting="queued", **late),
                make_view("failed", waiting="failing", **failed),
            ]
        )
        self.see_in_card("late", "1 min 35 s of 30 s")
        self.see_in_card("late", "Its lag is over its target: queued behind other refreshes.")
        self.see_in_card("failed", "it broke")
        self.see_in_card("failed", "Next try: in ")

    def test_a_refused_view_says_where_its_definition_is_wrong(self):
        problem = {"code": "limit", "message": "LIMIT is chance", "line": 12, "column": 7}
        self.show(
            [
                make_view(
                    "bad",
                    None,
                    status="refused",
                    error="LIMIT is chance",
                    problem=problem | {"hint": "Leave it out"},
                    sources=[],
                    target=None,
                    history=[],
                    recent_queries=[],
                    last_refresh=None,
                    lag_seconds=None,
                    last_duration_seconds=None,
                )
            ]
        )
        self.see_in_card("bad", "line 12, column 7: LIMIT is chance. Leave it out")
        self.assertEqual(self.card_text("bad").count("LIMIT is chance"), 1)
        self.see_in_card("bad", "never")


class Lineage(Views):
    def setUp(self):
        first = make_view("first")
        second = make_view("second", first["target"])
        second["sources"] = [first["target"], "iceberg.main.airports"]
        other = make_view("other", "iceberg.main.weather")
        self.show([first, second, other], "#tab=lineage", ".node")

    def node_columns(self):
        return self.script(
            "return Object.fromEntries([...document.querySelectorAll('.node')].map(node => ["
            "  node.dataset.node, Number(node.getAttribute('transform').match(/[\\d.]+/)[0])]))"
        )

    def test_sources_stand_left_of_what_reads_them(self):
        self.see(".node")
        x = self.node_columns()
        self.assertEqual(len(x), 6)
        self.assertLess(x["table:iceberg.main.flights"], x["view:first"])
        self.assertLess(x["view:first"], x["view:second"])
        self.assertLess(x["table:iceberg.main.airports"], x["view:second"])
        self.assertEqual(len(self.all(".edge")), 4)

    def test_arrow_keys_follow_the_edges_and_enter_opens(self):
        self.tab_to(".node")
        for _ in range(3):
            self.keys(Keys.ARROW_UP)
        for _ in range(3):
            if self.focused().get_attribute("data-node") != "table:iceberg.main.flights":
                self.keys(Keys.ARROW_DOWN)
        self.keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.focused().get_attribute("data-node"), "view:first")
        self.assertEqual(
            self.focused().accessible_name,
            "first in iceberg.main: view, idle; reads iceberg.main.flights; read by second",
        )
        self.keys(Keys.ARROW_RIGHT)
        self.assertEqual(self.focused().get_attribute("data-node"), "view:second")
        lit = {node.get_attribute("data-node") for node in self.all(".node.lit")}
        self.assertIn("table:iceberg.main.flights", lit)
        self.assertNotIn("view:other", lit)
        self.keys(Keys.ENTER)
        self.wait("its card", lambda: self.focused().text == "second")

    def test_one_views_lineage_alone(self):
        self.click("#tab-list")
        self.act("second", "lineage")
        self.see_text("Only what belongs to second", "#around")
        names = {node.get_attribute("data-node") for node in self.all(".node")}
        self.assertNotIn("view:other", names)
        self.assertEqual(len(names), 4)
        self.browser.refresh()
        self.see_text("Only what belongs to second", "#around")
        self.click("#around-clear")
        self.wait("all", lambda: len(self.all(".node")) == 6)


class Looks(Views):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = subprocess.run(
            [ROOT / "share" / "setup" / "fetch", "axe"], check=True, capture_output=True, text=True
        ).stdout.strip()
        cls.axe = (Path(folder) / "axe.min.js").read_text(encoding="utf-8")

    def setUp(self):
        error = {"status": "error", "error": "it broke", "errors": 2, "lag_met": False}
        views = [make_view("a"), make_view("b", **error), make_view("c", status="refreshing")]
        self.show(views + [make_view("d", status="pending", owner="migration")])

    def choose_theme(self, theme):
        self.script("document.documentElement.dataset.theme = arguments[0]", theme)

    def violations(self):
        """What axe-core finds, its rules for contrast, names, roles and the rest."""
        self.script(self.axe)
        found = self.browser.execute_async_script(
            "const done = arguments[0];"
            "for (const animation of document.getAnimations()) animation.cancel();"
            "axe.run(document).then(found => done(found.violations.map(each => "
            "  `${each.id}: ${each.nodes.map(node => node.target + ' ' + "
            "  node.any.map(check => check.message).join('; ')).join(' | ')}`)))"
        )
        return found

    def test_axe_finds_nothing_in_either_theme(self):
        self.host.problems = [{"code": "x", "message": "views.yaml is broken", "hint": None}]
        self.poll()
        for panel in ("refreshes", "query", "recent"):
            self.open_panel("b", panel)
        self.act("a", "refresh")
        self.see("#news .toast")
        for theme in ("light", "dark"):
            with self.subTest(theme=theme):
                self.choose_theme(theme)
                self.assertEqual(self.violations(), [])

    def test_axe_finds_nothing_in_the_editor_and_in_a_question(self):
        self.act("a", "edit")
        self.see_text("The query is accepted.", "#editor")
        for theme in ("light", "dark"):
            with self.subTest(theme=theme, part="accepted"):
                self.choose_theme(theme)
                self.assertEqual(self.violations(), [])
        self.fill("query", "SELECT 1 AS n FROM t LIMIT 1")
        self.see("#editor mark")
        self.assertEqual(self.violations(), [])
        self.keys(Keys.ESCAPE)
        self.see("dialog.question")
        self.assertEqual(self.violations(), [])

    def test_axe_finds_nothing_in_the_lineage(self):
        self.click("#tab-lineage")
        self.see(".node")
        for theme in ("light", "dark"):
            with self.subTest(theme=theme):
                self.choose_theme(theme)
                self.assertEqual(self.violations(), [])

    def test_axe_finds_nothing_in_the_migrations(self):
        failed = json.dumps({"error": "the disk is full"})
        events = [make_event(1, "upgrade_done"), make_event(3, "upgrade_failed", detail=failed)]
        broken = make_namespace(open=make_run(error="the disk is full"), lock=make_lock(stale=True))
        busy = make_namespace("busy", open=make_run(), lock=make_lock())
        empty = make_namespace("empty", current=0, applied=[], views=[])
        told = {
            "#no-migrations": [],
            ".namespace": [broken, busy, empty, make_namespace("idle")],
        }
        self.click("#tab-migrations")
        for part, namespaces in told.items():
            self.host.migrations = {"namespaces": namespaces, "events": events}
            self.see(part)
            for theme in ("light", "dark"):
                with self.subTest(part=part, theme=theme):
                    self.choose_theme(theme)
                    self.assertEqual(self.violations(), [])

    def test_a_theme_that_was_chosen_is_kept(self):
        self.browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": "dark"}]},
        )
        self.addCleanup(
            self.browser.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"features": []}
        )
        ground = "return getComputedStyle(document.body).backgroundColor"
        dark = self.script(ground)
        self.click("#theme")
        self.see_text("Theme: light", "#theme")
        light = self.script(ground)
        self.assertNotEqual(dark, light)
        self.browser.refresh()
        self.see(".card")
        self.assertEqual(self.script(ground), light)
        self.see_text("Theme: light", "#theme")
        self.click("#theme")
        self.click("#theme")
        self.see_text("Theme: system", "#theme")
        self.assertEqual(self.script(ground), dark)

    def test_a_narrow_window_needs_no_sideways_scrolling(self):
        metrics = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.clearDeviceMetricsOverride", {})
        self.open_panel("b", "refreshes")
        width = "return document.documentElement.scrollWidth"
        self.assertLessEqual(self.script(width), 360)
        run = make_run(text=f"{'x' * 200} did not end")
        self.host.migrations["namespaces"] = [make_namespace("x" * 100, open=run)]
        self.click("#tab-migrations")
        self.see(".namespace")
        self.assertLessEqual(self.script(width), 360)
        self.click("#tab-list")
        self.act("a", "edit")
        self.see("#editor")
        self.assertLessEqual(self.script(width), 360)

    def test_an_empty_host_says_so(self):
        self.server.stop()
        self.serve([])
        self.open()
        self.see_text("There are no views yet.", "#empty")
        self.assertIsInstance(self.host, FakeHost)


if __name__ == "__main__":
    unittest.main(verbosity=2)
