"""A real Chromium with the page in it: the verbs of the browser tests.

One browser serves all tests of a process; each test begins with an empty storage. Nothing sleeps:
a test waits for what it expects to see, with a deadline.
"""

import json
import os
import shutil
import unittest

from selenium import webdriver
from selenium.common.exceptions import (
    NoSuchElementException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

import fake_host

DEADLINE_SECONDS = 60  # of one wait: a machine may be busy with much else


def find_program(name):
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(f"{name} is not installed: share/setup/packages browser")
    return path


def start_browser():
    options = webdriver.ChromeOptions()
    options.binary_location = find_program("chromium")
    options.add_argument("--headless=new")
    options.add_argument("--disable-gpu")
    options.add_argument("--disable-dev-shm-usage")
    options.add_argument("--window-size=1400,1000")
    # What the browser would do on its own account: the tests look at every request that it makes.
    options.add_argument("--disable-background-networking")
    options.add_argument("--no-first-run")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium's sandbox refuses to run as root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(find_program("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


class PageTest(unittest.TestCase):
    """A test with a browser; `self.host` is a FakeHost, served at `self.base`."""

    browser = None

    @classmethod
    def setUpClass(cls):
        if PageTest.browser is None:
            PageTest.browser = start_browser()
            unittest.addModuleCleanup(PageTest.close_browser)
        cls.browser = PageTest.browser

    @staticmethod
    def close_browser():
        PageTest.browser.quit()
        PageTest.browser = None

    def serve(self, views):
        self.host = fake_host.FakeHost(views)
        self.server = fake_host.serve(self.host)
        self.addCleanup(self.server.stop)
        self.base = self.server.url

    def tearDown(self):
        # A page that is left goes on asking; an empty one doesn't.
        self.browser.get("about:blank")
        self.browser.get_log("browser")

    # --- Going and looking ---

    def open(self, address="", wait_for=".card, .empty:not([hidden])"):
        self.browser.get(self.base + address)
        if wait_for:
            self.see(wait_for)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def wait(self, what, condition, seconds=DEADLINE_SECONDS):
        """Waits until condition() is true, and gives its value."""
        ignored = (NoSuchElementException, StaleElementReferenceException)
        wait = WebDriverWait(self.browser, seconds, 0.05, ignored)
        try:
            return wait.until(lambda _: condition())
        except TimeoutException:
            raise AssertionError(
                f"never seen: {what}; the page shows: {self.one('body').text}"
            ) from None

    def see(self, selector):
        """Waits for an element that is displayed, and gives it."""

        def displayed():
            return next((found for found in self.all(selector) if found.is_displayed()), None)

        return self.wait(selector, displayed)

    def see_text(self, text, selector="body"):
        self.wait(f"'{text}' in {selector}", lambda: text in self.one(selector).text)

    def see_gone(self, selector):
        def gone():
            return not any(found.is_displayed() for found in self.all(selector))

        self.wait(f"{selector} gone", gone)

    def card(self, name):
        selector = f'.card[data-view="{name}"]'
        return self.wait(f"the card of {name}", lambda: self.one(selector))

    def card_text(self, name):
        return self.card(name).text

    def see_in_card(self, name, text):
        self.wait(f"'{text}' in the card of {name}", lambda: text in self.card_text(name))

    def shown_names(self):
        return self.script(
            "return [...document.querySelectorAll('.card:not([hidden])')]"
            ".map(card => card.dataset.view)"
        )

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def focused(self):
        return self.browser.switch_to.active_element

    # --- Doing ---

    def click(self, selector):
        self.see(selector).click()

    def act(self, name, action):
        """Presses a button of a card: refresh, edit, remove, lineage."""
        self.card(name).find_element(By.CSS_SELECTOR, f"[data-action={action}]").click()

    def open_panel(self, name, panel):
        """panel: refreshes, query or recent."""
        selector = f"[data-panel={panel}]"
        self.card(name).find_element(By.CSS_SELECTOR, selector).click()

    def keys(self, *keys):
        self.focused().send_keys(*keys)

    def fill(self, field, text):
        element = self.see(f"#editor [name={field}]")
        element.clear()
        element.send_keys(text)

    def tab_to(self, selector, at_most=60):
        """Presses Tab until the focus is on the element, as a person without a mouse does."""
        for _ in range(at_most):
            if self.script("return document.activeElement.matches(arguments[0])", selector):
                return
            self.keys(Keys.TAB)
        raise AssertionError(f"{at_most} times Tab does not lead to {selector}")

    def poll_now(self):
        """Has the page ask the host at once, as it does when its tab comes to the front."""
        self.script("document.dispatchEvent(new Event('visibilitychange'))")

    # --- What the browser did ---

    def requested_urls(self):
        """All addresses asked for since the last call, by whatever part of the browser."""
        urls = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return urls

    def console_errors(self):
        """Errors of scripts and of the policy; answers with an error status are the host's."""
        return [
            entry["message"]
            for entry in self.browser.get_log("browser")
            if entry["level"] == "SEVERE" and entry["source"] != "network"
        ]
