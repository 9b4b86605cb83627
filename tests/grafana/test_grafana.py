#!/usr/bin/env python3
"""share/grafana: the rules and the dashboard are right, and name metrics that there are."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "share" / "grafana" / "alerts.yml"
DASHBOARD = ROOT / "share" / "grafana" / "dashboard.json"
METRICS = ROOT / "framework" / "host" / "metrics.cpp"

# What Grafana puts in for its variables, for promtool.
VARIABLES = {"$__rate_interval": "5m", "$view": ".*", "$job": ".*", "$instance": ".*"}


def promtool(*arguments, folder=None):
    if shutil.which("promtool") is None:
        raise AssertionError("promtool is not installed: share/setup/packages test")
    return subprocess.run(
        ["promtool", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


def expressions(dashboard):
    """Every PromQL expression of the dashboard, with the title of its panel."""
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]


def metrics_of(text):
    return {re.sub(r"_(bucket|count|sum)$", "", name) for name in re.findall(r"\bmv_\w+", text)}


class Grafana(unittest.TestCase):
    def setUp(self):
        self.dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))

    def assert_accepted(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rules_are_accepted(self):
        self.assert_accepted(promtool("check", "rules", "--lint-fatal", str(RULES)))

    def test_rules_fire_when_they_should_and_only_then(self):
        here = Path(__file__).parent
        self.assert_accepted(promtool("test", "rules", "alerts_test.yml", folder=here))

    def test_every_rule_is_tried(self):
        tried = (Path(__file__).parent / "alerts_test.yml").read_text(encoding="utf-8")
        for name in re.findall(r"- alert: (\w+)", RULES.read_text(encoding="utf-8")):
            self.assertIn(name, tried)

    def test_the_dashboards_expressions_are_accepted(self):
        rules = []
        for number, (_, expression) in enumerate(expressions(self.dashboard)):
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            self.assertNotIn("$", expression)
            rules.append({"record": f"panel_{number}", "expr": expression})
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "panels.yml"  # JSON is YAML
            file.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
            self.assert_accepted(promtool("check", "rules", str(file)))

    def test_only_metrics_that_there_are_are_named(self):
        known = metrics_of(METRICS.read_text(encoding="utf-8"))
        used = metrics_of(RULES.read_text(encoding="utf-8"))
        used |= metrics_of(DASHBOARD.read_text(encoding="utf-8"))
        self.assertEqual(used - known, set())

    def test_panels_do_not_overlap_and_say_what_they_show(self):
        taken = set()
        for panel in self.dashboard["panels"]:
            self.assertTrue(panel["description"], panel["title"])
            at = panel["gridPos"]
            cells = {
                (x, y)
                for x in range(at["x"], at["x"] + at["w"])
                for y in range(at["y"], at["y"] + at["h"])
            }
            self.assertFalse(taken & cells, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24)
            taken |= cells
        ids = [panel["id"] for panel in self.dashboard["panels"]]
        self.assertEqual(len(ids), len(set(ids)))


if __name__ == "__main__":
    unittest.main()
