#!/usr/bin/env python3
"""The page's tab of migrations: over the fake host with whatever a host may say, and over a real
one with a migration that is applied and taken back (IVM_BROWSER_PROGRAMS is the folder of its
programs).
"""

import json
import os
import subprocess
import threading
import unittest

import fake_host
from fake_host import Refused, make_event, make_lock, make_migration, make_namespace, make_run
from fake_host import make_view
from page import Keys, PageTest
from proxy import serve_below
from real_host import RealHost

ASKED = ("GET", "/api/migrations")
TROUBLE = ".namespace .trouble"


class Migrations(PageTest):
    def setUp(self):
        self.serve([make_view("departures")])
        self.tell(make_namespace())

    def tell(self, *namespaces, events=()):
        self.host.migrations = {"namespaces": list(namespaces), "events": list(events)}

    def show(self, wait_for=".namespace"):
        self.open("#tab=migrations", wait_for)

    def poll(self, question):
        """A poll that the page has taken in: the next one has begun."""
        for _ in range(2):
            asked = self.host.requests.count(question)
            self.poll_now()
            self.wait("a poll", lambda: self.host.requests.count(question) > asked)

    def see_no_note(self):
        self.wait("the note gone", lambda: self.one("#migrations-note").text == "")

    def rows(self, title):
        return [row.text for row in self.all(f'[aria-label="{title}"] tbody tr')]


class WhatIsShown(Migrations):
    def test_where_a_namespace_stands_and_what_it_owns(self):
        taken_back = make_migration(3, "too much", status="rolled_back")
        self.tell(make_namespace(applied=[*make_namespace()["applied"], taken_back]))
        self.show()
        self.see_text("At version 0002, 2 migrations applied", ".namespace")
        self.assertEqual(
            self.rows("Migrations of default"),
            [
                "0003 too much rolled back 1 d ago",
                "0002 Departures an hour applied 1 d ago",
                "0001 the events applied 1 d ago",
            ],
        )
        self.click(".owned a")
        self.wait("its card", lambda: self.focused().text == "departures")

    def test_the_last_events_newest_first_with_what_went_wrong(self):
        failed = {"step": 2, "detail": json.dumps({"error": "the disk is full", "unclear": False})}
        self.tell(
            make_namespace(),
            make_namespace("sales"),
            events=[
                make_event(1, "upgrade_started"),
                make_event(1, "step_failed", **failed),
                make_event(0, "unlocked", namespace="sales", actor="bob"),
            ],
        )
        self.show()
        self.assertEqual(
            self.rows("Last events of default"),
            ["1 d ago 0001 step failed 2 ann the disk is full", "1 d ago 0001 upgrade started ann"],
        )
        self.assertEqual(self.rows("Last events of sales"), ["1 d ago unlocked bob"])

    def test_a_run_at_work_is_no_run_that_died(self):
        self.tell(make_namespace(open=make_run(), lock=make_lock()))
        self.show()
        self.see_text("at work", ".namespace .badge")
        self.see_text(
            "upgrade to 3: step 2 of 0003_more, by ivmctl at build-7, process 4711, "
            "began 5 min ago.",
            ".namespace .note",
        )
        self.assertNotIn("did not end", self.one(".namespace").text)
        self.tell(make_namespace(open=make_run(), lock=make_lock(stale=True, age_seconds=400)))
        self.see_text("did not end", ".namespace .badge")
        self.see_text("1 of its steps is done. Next: ivmctl migrate repair", TROUBLE)
        self.see_text("no sign of life for 6 min 40 s", ".namespace .note")
        self.see_text("ivmctl migrate unlock frees it", ".namespace .note")

    def test_a_run_that_failed_tells_its_text(self):
        text = "the upgrade of 0003 by ann failed: 1 of its steps is done: the disk is full"
        run = make_run(error="the disk is full", text=text)
        self.tell(make_namespace("it's me", open=run))
        self.show()
        self.see_text("failed", ".namespace .badge")
        self.see_text(text, TROUBLE)
        self.see_text("ivmctl migrate repair --namespace 'it'\\''s me' tells", TROUBLE)
        self.tell(make_namespace("it's me"))
        self.see_text("idle", ".namespace .badge")
        self.see_gone(".namespace .trouble, .namespace .note")

    def test_nothing_yet_says_how_to_begin(self):
        self.tell()
        self.show("#no-migrations")
        self.see_text("No migration has been applied.", "#no-migrations")
        self.see_text("To begin, ivmctl migrate init makes the folder", "#no-migrations")
        self.tell(make_namespace("sales", current=0, applied=[], views=[]))
        self.see_text("Nothing is applied.", ".namespace")
        self.see_text("ivmctl migrate init --namespace sales makes the folder", ".namespace")
        self.see_gone("#no-migrations, .namespace table, .owned")

    def test_many_migrations_and_views_leave_the_page_small(self):
        applied = [make_migration(number, f"change {number}") for number in range(1, 1001)]
        views = [f"view_{number}" for number in range(100)]
        self.tell(make_namespace(current=1000, applied=applied, views=views))
        self.show()
        self.see_text("view_19 and 80 more views", ".owned")
        self.assertEqual(len(self.all(".namespace tbody tr")), 1000)
        self.assertLess(self.one(".namespace").size["height"], 600)


class HowItIsAsked(Migrations):
    def test_only_while_the_tab_is_open(self):
        self.open()
        self.poll(("GET", "/health"))
        self.assertNotIn(ASKED, self.host.requests)
        self.click("#tab-migrations")
        self.see(".namespace")
        self.assertFalse(self.one("#search").is_displayed())
        self.poll(ASKED)
        self.click("#tab-list")
        self.see("#search")
        self.poll(("GET", "/health"))
        asked = self.host.requests.count(ASKED)
        self.poll(("GET", "/health"))
        self.assertEqual(self.host.requests.count(ASKED), asked)

    def test_a_reload_and_the_keyboard_lead_there(self):
        self.open()
        self.tab_to("#tab-migrations")
        self.keys(Keys.ENTER)
        self.see(".namespace")
        self.assertEqual(self.one("#tab-migrations").get_attribute("aria-pressed"), "true")
        self.browser.refresh()
        self.see(".namespace")
        self.tab_to('[aria-label="Migrations of default"]')
        self.assertEqual(self.focused().aria_role, "region")

    def test_news_show_by_themselves_and_nothing_else_moves(self):
        self.tell(make_namespace(), events=[make_event(2, "upgrade_done")])
        self.show()
        region = '[aria-label="Last events of default"]'
        self.tab_to(region)
        row = self.one(f"{region} tbody tr")
        self.host.migrations["events"].append(make_event(3, "upgrade_started"))
        self.wait("the event", lambda: len(self.rows("Last events of default")) == 2)
        self.assertEqual(self.one(f"{region} tbody tr:last-child").id, row.id)
        self.assertEqual(self.focused().id, self.one(region).id)

    def test_a_slow_history_holds_nothing_up_and_is_asked_for_once(self):
        held = self.host.held[ASKED] = threading.Event()
        self.addCleanup(held.set)
        self.show("#migrations")
        self.see_text("The host is asked", "#migrations-note")
        self.host.views["routes"] = make_view("routes")
        self.click("#tab-list")
        self.card("routes")
        self.click("#tab-migrations")
        self.assertEqual(self.host.requests.count(ASKED), 1)
        held.set()
        self.see(".namespace")
        self.see_no_note()


class WhenItCannotBe(Migrations):
    def test_an_older_host_knows_none(self):
        self.host.failing[ASKED] = Refused(404, "not_found", "there is no GET /api/migrations")
        self.show("#migrations")
        text = "This host knows no migrations: it is older than this page."
        self.see_text(text, "#migrations-note")
        self.see_gone(".namespace, #no-migrations, #banner")

    def test_a_history_that_cannot_be_read_keeps_what_is_shown(self):
        self.show()
        self.host.failing[ASKED] = Refused(503, "unavailable", "the catalog is away", hint="Wait")
        self.see_text(
            "The migrations cannot be shown: the catalog is away. Wait. What is shown is from ",
            "#migrations-note",
        )
        self.see_text("0002", ".namespace")
        del self.host.failing[ASKED]
        self.see_no_note()

    def test_an_answer_that_is_none(self):
        self.show()
        right = self.host.migrations
        for answer in ([], None, {"namespaces": None, "events": []}, {"namespaces": []}):
            with self.subTest(answer=answer):
                self.host.migrations = answer
                self.poll_now()
                text = "the answer is not a history of migrations: is this the host?"
                self.see_text(text, "#migrations-note")
                self.host.migrations = right
                self.poll_now()
                self.see_no_note()

    def test_hostile_texts_are_shown_as_text(self):
        evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>\'"&amp;'
        run = make_run(error=evil, text=evil, actor=evil, direction=evil)
        migration = make_migration(1, evil, status=evil, applied_at=evil, checksum=evil)
        event = dict.fromkeys(make_event(1, ""), evil) | {"detail": json.dumps({"error": evil})}
        self.tell(
            make_namespace(
                evil,
                open=run,
                lock=make_lock(owner=evil, doing=evil, since=evil, stale=True),
                applied=[migration],
                views=[evil],
            ),
            events=[event | {"detail": evil}, event | {"detail": '{"error": {}}'}, event],
        )
        self.host.views["departures"] |= {"owner": "migration", "migration": evil}
        self.show()
        for part in ("h3", ".owned", ".trouble", ".note", "td:nth-child(2)", "td:nth-child(3)"):
            self.see_text(evil, f".namespace {part}")
        self.see_text(evil, ".namespace td.wrong.lines")
        self.click("#tab-list")
        self.see_in_card("departures", evil)
        self.assertEqual(self.script("return document.querySelectorAll('img').length"), 1)
        self.assertIsNone(self.script("return window.pwned ?? null"))
        self.assertEqual(self.console_errors(), [])

    def test_below_a_path_of_a_proxy(self):
        proxy = serve_below("/tools/ivm/", self.base)
        self.addCleanup(proxy.stop)
        self.base = f"{proxy.url}tools/ivm/"
        self.requested_urls()
        self.show()
        self.click(".owned a")
        self.wait("its card", lambda: self.focused().text == "departures")
        urls = self.requested_urls()
        self.assertIn(f"{self.base}api/migrations", urls)
        self.assertEqual([url for url in urls if not url.startswith(self.base)], [])


MIGRATION = """upgrade:
  - create_view: {name: by_origin, query: 'SELECT origin, count(*) AS n FROM trips GROUP BY origin'}
"""
FAILING = """upgrade:
  - sql: {statement: 'INSERT INTO nowhere VALUES (1)', undo: DELETE FROM nowhere}
"""


@unittest.skipUnless("IVM_BROWSER_PROGRAMS" in os.environ, "IVM_BROWSER_PROGRAMS is not set")
class OverRealHost(PageTest):
    def setUp(self):
        host = RealHost(os.environ["IVM_BROWSER_PROGRAMS"])
        self.addCleanup(host.stop)
        self.real, self.base = host, host.url

    def test_a_migration_is_applied_owns_its_view_fails_and_is_taken_back(self):
        self.open("#tab=migrations", "#no-migrations")
        self.real.migrate("upgrade", _0001_by_origin=MIGRATION)
        self.see_text("At version 0001, 1 migration applied", ".namespace")
        self.see_text("upgrade done", '[aria-label="Last events of default"]')
        self.click(".owned a")
        button = self.see('.card[data-view="by_origin"] [data-action=edit][aria-disabled=true]')
        self.assertIn("Owned by migration 0001:", button.get_attribute("title"))
        self.click("#tab-migrations")
        with self.assertRaises(subprocess.CalledProcessError):
            self.real.migrate("upgrade", _0002_wrong=FAILING)
        self.see_text("the upgrade of 0002 by", TROUBLE)
        self.see_text("nowhere", '[aria-label="Last events of default"]')
        (self.real.folder / "migrations" / "0002_wrong.yaml").unlink()
        self.real.migrate("downgrade", "0", "--yes")
        self.see_text("Nothing is applied.", ".namespace")
        self.click("#tab-list")
        self.see_gone('.card[data-view="by_origin"]')


if __name__ == "__main__":
    unittest.main(verbosity=2)
