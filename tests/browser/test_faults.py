#!/usr/bin/env python3
"""The page when things go wrong: hosts that vanish, dawdle, refuse or want a token, proxies, and
texts that try to be more than text."""

import threading
import unittest

import fake_host
from fake_host import Refused, make_view, refresh_record
from page import Keys, PageTest
from proxy import serve_below


class Faults(PageTest):
    def setUp(self):
        self.serve([make_view("departures"), make_view("arrivals")])

    def sent(self, method, path):
        return self.host.requests.count((method, path))

    # --- The host comes and goes ---

    def test_a_host_that_is_gone_is_told_of_and_comes_back_by_itself(self):
        self.open()
        self.server.stop()
        self.poll_now()
        self.see_text("The host cannot be reached. Trying again by itself.", "#banner")
        self.see_text("What is shown is from", "#banner")
        self.assertEqual(self.shown_names(), ["arrivals", "departures"])
        self.host.views["routes"] = make_view("routes")
        self.server.start()
        self.card("routes")
        self.see_gone("#banner")

    def test_an_order_that_does_not_reach_the_host_is_told_of(self):
        self.open()
        self.server.stop()
        self.act("arrivals", "refresh")
        self.see_text("arrivals the host cannot be reached", "#alarms")
        self.server.start()
        self.poll_now()
        self.see_gone("#banner")
        button = '.card[data-view="arrivals"] [data-action=refresh]'
        self.wait("the button free", lambda: self.one(button).text == "Refresh")

    def test_a_degraded_host_says_why(self):
        self.open()
        self.host.problems = [
            {"code": "yaml", "message": "views.yaml:12:7: found ']'", "hint": "Close the list"}
        ]
        self.poll_now()
        self.see_text("The host is degraded.", "#banner")
        self.see_text("views.yaml:12:7: found ']'. Close the list", "#banner")
        self.host.problems = []
        self.poll_now()
        self.see_gone("#banner")

    def test_many_problems_do_not_fill_the_page(self):
        self.host.problems = [
            {"code": "x", "file": "views.yaml", "line": 3, "column": n, "message": f"wrong {n}"}
            for n in range(1, 10)
        ]
        self.open()
        self.see_text("views.yaml:3:5: wrong 5", "#banner")
        self.see_text("and 4 more problems", "#banner")
        self.assertNotIn("wrong 6", self.one("#banner").text)

    def test_a_place_in_a_file_is_not_marked_in_the_query(self):
        place = {"file": "views.yaml", "line": 1, "column": 1}
        self.host.failing["POST", "/api/views"] = Refused(409, "changed", "it changed", **place)
        self.open()
        self.click("#create")
        self.fill("name", "late")
        self.see_text("The query is accepted.", "#editor")
        self.click("#editor [data-part=save]")
        self.see_text("Error views.yaml:1:1: it changed", "#editor .problems")
        self.assertEqual(self.all("#editor mark, #editor .problems button"), [])

    def test_an_answer_that_is_not_the_hosts_is_told_of(self):
        self.open()
        self.host.failing["GET", "/api/views"] = Refused(503, "starting", "the executor is away")
        self.poll_now()
        self.see_text("The executor is away. Trying again by itself.", "#banner")

    # --- Slow answers ---

    def test_only_the_answer_to_the_last_text_is_shown(self):
        self.open()
        held = self.host.held["POST", "/api/parse"] = threading.Event()
        self.click("#create")
        self.fill("name", "late")
        self.fill("query", "SELECT 1 AS n FROM t LIMIT 1")
        self.wait("a question", lambda: self.sent("POST", "/api/parse") > 0)
        asked = self.sent("POST", "/api/parse")
        del self.host.held["POST", "/api/parse"]
        self.fill("query", "SELECT 1 AS n FROM t")
        self.wait("another question", lambda: self.sent("POST", "/api/parse") > asked)
        self.see_text("The query is accepted.", "#editor")
        held.set()
        self.poll_now()
        self.wait("the next poll", lambda: self.sent("GET", "/health") > 1)
        self.assertEqual(self.all("#editor mark"), [])
        self.see_text("The query is accepted.", "#editor")

    def test_a_long_refresh_leaves_the_page_alive_and_is_sent_once(self):
        self.open()
        held = self.host.held["POST", "/api/views/arrivals/refresh"] = threading.Event()
        self.act("arrivals", "refresh")
        self.see_in_card("arrivals", "Refreshing…")
        self.act("arrivals", "refresh")
        self.host.views["routes"] = make_view("routes")
        self.card("routes")
        self.assertEqual(self.sent("POST", "/api/views/arrivals/refresh"), 1)
        held.set()
        self.see_text("arrivals incremental refresh: 2024-03-01 … 2024-03-02", "#news")
        self.wait("the button free", lambda: "Refreshing…" not in self.card_text("arrivals"))

    def test_an_old_answer_does_not_bring_a_deleted_view_back(self):
        self.open()
        asked = self.sent("GET", "/api/views")
        old = list(self.host.views.values())
        held = self.host.held["GET", "/api/views"] = threading.Event()
        self.poll_now()
        self.wait("a question", lambda: self.sent("GET", "/api/views") > asked)
        self.act("arrivals", "remove")
        self.click("dialog.question .danger")
        self.see_gone('.card[data-view="arrivals"]')
        self.watch_for_card("arrivals")
        # What the host had looked up before the deletion arrives only now.
        now = self.host.views
        self.host.views = {view["name"]: view for view in old}
        del self.host.held["GET", "/api/views"]
        healths = self.sent("GET", "/health")
        self.host.held["GET", "/api/views"] = again = threading.Event()
        held.set()
        self.wait("the next question", lambda: self.sent("GET", "/health") > healths)
        self.host.views = now
        del self.host.held["GET", "/api/views"]
        again.set()
        self.poll_now()
        self.wait("a poll after", lambda: self.sent("GET", "/health") > healths + 1)
        self.assertFalse(self.script("return window.seenAgain"))

    def watch_for_card(self, name):
        self.script(
            "window.seenAgain = false;"
            "new MutationObserver(records => records.forEach(record =>"
            "  record.addedNodes.forEach(node => {"
            "    if (node.dataset?.view === arguments[0]) window.seenAgain = true })))"
            ".observe(document.getElementById('views'), {childList: true})",
            name,
        )

    # --- Refusals ---

    def test_a_failed_refresh_is_told_of_until_it_is_dismissed(self):
        error = {"code": "disk", "message": "the disk is full", "hint": "Make room"}
        self.host.next_refresh["arrivals"] = {"action": "error", "error": error}
        self.open()
        self.act("arrivals", "refresh")
        self.see_text("arrivals the disk is full. Make room", "#alarms")
        self.see_in_card("arrivals", "the disk is full")
        self.click("#alarms .toast button")
        self.see_gone("#alarms .toast")

    def test_a_file_that_changed_meanwhile_keeps_what_was_typed(self):
        message = "views.yaml changed on disk since it was read"
        self.host.failing["PUT", "/api/views/arrivals"] = Refused(409, "changed", message)
        self.open()
        self.act("arrivals", "edit")
        self.fill("comment", "mine")
        self.click("#editor [data-part=save]")
        self.see_text(message, "#editor .problems")
        self.assertEqual(self.one("#editor [name=comment]").get_attribute("value"), "mine")
        del self.host.failing["PUT", "/api/views/arrivals"]
        self.click("#editor [data-part=save]")
        self.see_in_card("arrivals", "mine")

    def test_settings_that_are_not_json_are_not_sent(self):
        self.open()
        self.act("arrivals", "edit")
        self.click("#editor summary")
        self.fill("more", '{"incremental": }')
        self.click("#editor [data-part=save]")
        self.see_text("Other settings are not JSON", "#editor .problems")
        self.assertEqual(self.sent("PUT", "/api/views/arrivals"), 0)

    def test_settings_without_a_field_of_their_own_are_kept(self):
        definition = self.host.views["arrivals"]["definition"]
        definition |= {"incremental": "required", "target_partitioning": ["day(a)", "bucket(b, 4)"]}
        self.open()
        self.act("arrivals", "edit")
        shown = self.see("#editor [name=target_partitioning]").get_attribute("value")
        self.assertEqual(shown, "day(a), bucket(b, 4)")
        self.fill("refresh_interval_seconds", "7")
        self.click("#editor [data-part=save]")
        self.see_gone("#editor")
        saved = self.host.views["arrivals"]["definition"]
        self.assertEqual(saved, definition | {"refresh_interval_seconds": 7})

    def test_a_dialog_with_changes_is_not_lost_by_one_key(self):
        self.open()
        self.act("arrivals", "edit")
        self.fill("comment", "mine")
        self.keys(Keys.ESCAPE)
        self.see_text("Leave without saving?", "dialog.question")
        self.keys(Keys.ENTER)  # goes on editing
        self.see_gone("dialog.question")
        self.assertTrue(self.one("#editor").is_displayed())
        self.keys(Keys.ESCAPE)
        self.click("dialog.question .danger")
        self.see_gone("#editor")
        self.wait("focus where it came from", lambda: self.focused().text == "Edit")

    def test_a_dialog_keeps_the_focus_inside(self):
        self.open()
        self.click("#create")
        inside = "return document.querySelector('#editor').contains(document.activeElement)"
        leaves = "return document.activeElement === document.body"  # the browser's own controls
        for _ in range(20):
            self.keys(Keys.TAB)
            self.assertTrue(self.script(inside) or self.script(leaves))

    def test_what_a_migration_owns_and_a_host_that_only_reads(self):
        self.host.views["arrivals"] |= {"owner": "migration", "migration": "migration 0003"}
        self.open()
        self.see_in_card("arrivals", "migration 0003")
        for action, name in (("edit", "Edit arrivals"), ("remove", "Delete arrivals")):
            button = self.one(f'.card[data-view="arrivals"] [data-action={action}]')
            self.assertEqual(button.accessible_name, name)
            self.assertEqual(button.get_attribute("aria-disabled"), "true")
            self.assertEqual(
                button.get_attribute("title"),
                "Owned by migration 0003: change it by another migration, made with "
                "'ivmctl migrate revision'",
            )
            button.click()
        self.assertEqual([each for each in self.all("dialog") if each.is_displayed()], [])
        self.act("arrivals", "refresh")
        self.see_text("arrivals incremental refresh", "#news")
        # What a migration gave back is the page's to change again.
        self.host.views["arrivals"] |= {"owner": "api", "migration": None}
        self.poll_now()
        enabled = '.card[data-view="arrivals"] [data-action=edit]:not([aria-disabled]):not([title])'
        self.see(enabled)
        self.act("arrivals", "edit")
        self.see("#editor")
        self.keys(Keys.ESCAPE)
        self.host.read_only = True
        self.browser.refresh()
        self.see_text("read only", ".top")
        self.assertFalse(any(each.is_displayed() for each in self.all(".buttons button")))
        self.assertFalse(self.one("#create").is_displayed())

    # --- Tokens ---

    def test_a_token_is_asked_for_checked_and_kept(self):
        self.host.token = "sesame"
        self.open(wait_for="dialog.question input")
        self.keys("wrong", Keys.ENTER)
        self.see_text("The host did not take this token.", "dialog.question")
        self.keys("sesame", Keys.ENTER)
        self.card("arrivals")
        self.see_gone("#banner")
        self.browser.refresh()
        self.card("arrivals")
        self.assertEqual(self.all("dialog.question"), [])

    def test_without_a_token_nothing_is_shown_and_nobody_is_pestered(self):
        self.host.token = "sesame"
        self.open(wait_for="dialog.question input")
        self.keys(Keys.ESCAPE)
        self.see_text("This host wants a token before it shows anything.", "#banner")
        for _ in range(2):
            asked = self.sent("GET", "/api/views")
            self.poll_now()
            self.wait("another poll", lambda: self.sent("GET", "/api/views") > asked)
        self.assertEqual(self.all("dialog.question"), [])
        self.click("#unlock")
        self.see("dialog.question input")
        self.keys("sesame", Keys.ENTER)
        self.card("arrivals")

    # --- Where it is served ---

    def below(self, prefix):
        proxy = serve_below(prefix, self.base)
        self.addCleanup(proxy.stop)
        self.root, self.base = proxy.url, proxy.url + prefix.strip("/") + "/"
        return proxy

    def test_case_C068_below_a_path_of_a_proxy(self):
        self.below("/tools/ivm/")
        self.requested_urls()
        self.browser.get(self.base.rstrip("/"))  # the proxy leads to the folder
        self.card("arrivals")
        self.act("arrivals", "refresh")
        self.see_text("arrivals incremental refresh", "#news")
        self.click("#create")
        self.fill("name", "routes")
        self.click("#editor [data-part=save]")
        self.card("routes")
        self.act("routes", "remove")
        self.click("dialog.question .danger")
        self.see_gone('.card[data-view="routes"]')
        self.card("arrivals").find_element("css selector", "h3 a").click()
        self.wait("the address", lambda: "view=arrivals" in self.browser.current_url)
        self.browser.refresh()
        self.see('.card[data-view="arrivals"] [data-panel=refreshes][aria-expanded=true]')
        asked = [url for url in self.requested_urls() if url != self.base.rstrip("/")]
        self.assertEqual([url for url in asked if not url.startswith(self.base)], [])

    def test_a_proxy_whose_host_is_gone(self):
        self.below("/ivm/")
        self.open()
        self.server.stop()
        self.poll_now()
        self.see_text("The host answered 502 Bad Gateway. Trying again by itself.", "#banner")
        self.server.start()
        self.poll_now()
        self.see_gone("#banner")

    def test_nothing_is_asked_of_anybody_else(self):
        self.requested_urls()
        self.open()
        self.click("#tab-lineage")
        self.see(".node.view")
        self.click("#theme")
        self.click("#create")
        self.fill("name", "quiet")
        self.see_text("The query is accepted.", "#editor")
        urls = self.requested_urls()
        self.assertIn(self.base + "api/views", urls)
        self.assertEqual([url for url in urls if not url.startswith(self.base)], [])
        self.assertEqual(self.console_errors(), [])

    # --- Texts that try to be more ---

    def test_hostile_texts_are_shown_as_text(self):
        evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>\'"&amp;'
        place = {"line": 3, "column": 1, "hint": evil}
        self.host.views = {
            evil: make_view(
                evil,
                source=evil,
                target=evil,
                query=evil,
                status="error",
                error=evil,
                owner=evil,
                strategy=evil,
                problem={"code": evil, "message": evil} | place,
                definition={"name": evil, "query": evil, "comment": evil},
                history=[
                    refresh_record(
                        0,
                        action=evil,
                        reason=evil,
                        ranges=[{"from": evil, "to": evil}],
                        query_id=evil,
                        url="javascript:window.pwned=1",
                    )
                ],
                recent_queries=[
                    {
                        "kind": evil,
                        "query_id": evil,
                        "url": "javascript:window.pwned=1",
                        "started": evil,
                        "seconds": 1,
                        "state": evil,
                    }
                ],
            )
        }
        self.host.problems = [{"code": evil, "message": evil, "hint": None}, evil]
        self.host.failing["POST", "/api/parse"] = Refused(422, evil, evil, **place)
        self.open()
        for opener in self.all(".opener[aria-expanded]"):
            opener.click()
        self.click("[data-action=edit]")
        self.see_text(evil, "#editor .problems")
        self.keys(Keys.ESCAPE)
        self.see_gone("#editor")
        self.click("[data-action=refresh]")
        self.see_text(evil, "#news")
        self.click("[data-action=remove]")
        self.see_text(evil, "dialog.question")
        self.keys(Keys.ESCAPE)
        self.click("[data-action=lineage]")
        self.see(".node.view")
        self.see_text(evil, "#banner")
        self.assertEqual(self.script("return document.querySelectorAll('img').length"), 1)
        self.assertEqual(self.all("a[href^=javascript]"), [])
        self.assertIsNone(self.script("return window.pwned ?? null"))
        self.assertEqual(self.console_errors(), [])

    def test_names_are_encoded_in_addresses(self):
        name = "a/b?c#d%20e f"
        self.host.views[name] = make_view(name)
        self.open()
        self.act(name, "refresh")
        self.see_text("incremental refresh", "#news")
        self.assertIn(("POST", "/api/views/a%2Fb%3Fc%23d%2520e%20f/refresh"), self.host.requests)


if __name__ == "__main__":
    unittest.main(verbosity=2)
