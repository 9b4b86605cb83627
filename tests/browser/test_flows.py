#!/usr/bin/env python3
"""What a person does on the page, from one end to the other: over the fake host and a real one.

IVM_BROWSER_PROGRAMS is the folder of an ivmd that is started for it; IVM_BROWSER_URL is one that
runs already (IVM_BROWSER_TOKEN where it wants a token). The views are made from the query of the
host's first view, and deleted at the end.
"""

import json
import os
import unittest
import urllib.error
import urllib.request
import uuid

import fake_host
from page import Keys, PageTest
from real_host import RealHost


class Api:
    """The host's API, as another program would use it."""

    def __init__(self, base, token=None):
        self.base, self.token = base, token

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def views(self):
        return {view["name"]: view for view in self.call("GET", "api/views")}


class Flows:
    """The flows; self.base and self.api are the host's, self.query one that it accepts."""

    def new_name(self):
        name = f"browser_{uuid.uuid4().hex[:8]}"
        self.addCleanup(self.forget, name)
        return name

    def forget(self, name):
        try:
            self.api.call("DELETE", f"api/views/{name}")
        except urllib.error.HTTPError as error:
            self.assertEqual(error.code, 404)

    def make(self, **fields):
        """A view that is there already."""
        name = self.new_name()
        self.api.call("POST", "api/views", {"name": name, "query": self.query} | fields)
        return name

    def start_new(self, name, query):
        self.click("#create")
        self.fill("name", name)
        self.fill("query", query)

    def test_create(self):
        self.open()
        name = self.new_name()
        self.start_new(name, self.query)
        self.see_text("The query is accepted.", "#editor")
        self.see_text(name, "#editor .meaning")  # its target
        self.fill("refresh_interval_seconds", "90")
        self.click("#editor [data-part=save]")
        self.see_gone("#editor")
        self.see_text(f"{name} created", "#news")
        self.see_in_card(name, "1 min 30 s")
        self.wait("focus on the new card", lambda: self.focused().text == name)
        made = self.api.views()[name]
        self.assertIn(made["owner"], ("file", "api"))
        self.assertEqual(made["refresh_interval_seconds"], 90)
        self.assertEqual(made["query"].strip(), self.query.strip())

    def test_edit(self):
        name = self.make(refresh_interval_seconds=45, target_lag="10m")
        self.open()
        self.act(name, "edit")
        self.see_text("The query is accepted.", "#editor")
        self.assertIsNotNone(self.one("#editor [name=name]").get_attribute("readonly"))
        self.fill("comment", "told otherwise")
        self.click("#editor [data-part=save]")
        self.see_gone("#editor")
        self.see_in_card(name, "told otherwise")
        definition = self.api.views()[name]["definition"]
        self.assertEqual(definition["comment"], "told otherwise")
        # What was not touched stays as it was.
        self.assertEqual(definition["refresh_interval_seconds"], 45)
        self.assertEqual(definition["target_lag"], "10m")
        self.assertEqual(definition["query"].strip(), self.query.strip())

    def test_refused_while_typing_and_when_saved(self):
        self.open()
        name = self.new_name()
        self.start_new(name, self.query.rstrip() + "\nLIMIT 10")
        line = self.query.rstrip().count("\n") + 2
        mark = self.see("#editor mark")
        self.assertEqual(self.script("return arguments[0].textContent", mark), "LIMIT")
        problem = self.see("#editor .problems li")
        self.assertIn(f"line {line}, column 1", problem.text)
        field = self.one("#editor [name=query]")
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        self.assertIn("LIMIT", self.one("#editor [data-part=spoken]").get_attribute("textContent"))
        self.click("#editor [data-part=save]")
        self.wait("the place selected", lambda: self.selected_text() == "LIMIT")
        self.assertTrue(self.one("#editor").is_displayed())
        self.assertNotIn(name, self.api.views())

    def selected_text(self):
        return self.script(
            "const field = document.activeElement;"
            "return field.value?.slice(field.selectionStart, field.selectionEnd)"
        )

    def test_refused_name_that_is_taken(self):
        name = self.make()
        self.open()
        self.start_new(name, self.query)
        self.click("#editor [data-part=save]")
        self.see_text(name, "#editor .problems")
        self.assertTrue(self.one("#editor").is_displayed())

    def test_refresh(self):
        name = self.make()
        self.open(f"#filter={name}")
        self.act(name, "refresh")
        self.see_text(name, "#news .toast")
        self.see_in_card(name, "ago" if self.is_fake else "Refreshes")
        self.wait("a refresh", lambda: self.api.views()[name]["refreshes"] > 0)
        self.poll_now()
        self.open_panel(name, "refreshes")
        self.see(f'.card[data-view="{name}"] tbody tr')

    def test_delete(self):
        name = self.make()
        self.open()
        self.act(name, "remove")
        self.see_text(f"Delete {name}?", "dialog.question")
        self.assertEqual(self.focused().text, "Cancel")
        self.keys(Keys.ENTER)
        self.see_gone("dialog.question")
        self.assertIn(name, self.api.views())
        self.act(name, "remove")
        self.click("dialog.question .danger")
        self.see_text(f"{name} deleted", "#news")
        self.see_gone(f'.card[data-view="{name}"]')
        self.assertNotIn(name, self.api.views())

    def test_a_reload_leads_back(self):
        name = self.make()
        self.open()
        self.click("#search")
        self.keys(name)
        self.wait("the filter", lambda: self.shown_names() == [name])
        self.card(name).find_element("css selector", "h3 a").click()
        self.wait("the address", lambda: name in self.script("return location.hash"))
        self.browser.refresh()
        self.wait("the filter again", lambda: self.shown_names() == [name])
        opener = self.see(f'.card[data-view="{name}"] [data-panel=refreshes]')
        self.wait("it open", lambda: opener.get_attribute("aria-expanded") == "true")

    def test_what_others_do_shows_without_a_reload(self):
        self.open()
        name = self.make()
        self.card(name)
        self.api.call("DELETE", f"api/views/{name}")
        self.see_gone(f'.card[data-view="{name}"]')

    def test_keyboard_alone_creates_and_deletes(self):
        self.open()
        name = self.new_name()
        self.tab_to("#create")
        self.keys(Keys.ENTER)
        self.wait("the name's field", lambda: self.focused().get_attribute("name") == "name")
        self.keys(name, Keys.TAB)
        self.assertEqual(self.focused().get_attribute("name"), "query")
        self.keys(Keys.CONTROL, "a")
        self.keys(Keys.NULL, self.query)
        self.keys(Keys.CONTROL, Keys.ENTER)
        self.wait("focus on the new card", lambda: self.focused().text == name)
        self.tab_to(f'[aria-label="Delete {name}"]')
        self.keys(Keys.ENTER)
        self.wait("the question", lambda: self.focused().text == "Cancel")
        self.keys(Keys.TAB)
        self.keys(Keys.ENTER)
        self.see_gone(f'.card[data-view="{name}"]')
        self.assertNotIn(name, self.api.views())


class OverFakeHost(Flows, PageTest):
    is_fake = True

    def setUp(self):
        names = ["departures_hourly", "departures_daily", "routes_weekly"]
        self.serve([fake_host.make_view(name) for name in names])
        self.api = Api(self.base)
        self.query = "SELECT key, date_trunc('hour', ts) AS hour_ts\nFROM flights\nGROUP BY 1, 2"


REAL = {"IVM_BROWSER_URL", "IVM_BROWSER_PROGRAMS"}


@unittest.skipUnless(REAL & set(os.environ), f"there is no real host: set one of {sorted(REAL)}")
class OverRealHost(Flows, PageTest):
    is_fake = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = os.environ.get("IVM_BROWSER_URL", "").rstrip("/") + "/"
        if "IVM_BROWSER_URL" not in os.environ:
            host = RealHost(os.environ["IVM_BROWSER_PROGRAMS"])
            cls.addClassCleanup(host.stop)
            cls.base = host.url

    def setUp(self):
        token = os.environ.get("IVM_BROWSER_TOKEN")
        self.api = Api(self.base, token)
        self.query = next(iter(self.api.views().values()))["definition"]["query"]
        if token:
            self.browser.get(self.base)
            self.script("sessionStorage.setItem('iceberg-ivm-token', arguments[0])", token)


if __name__ == "__main__":
    unittest.main(verbosity=2)
