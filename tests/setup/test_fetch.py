#!/usr/bin/env python3
"""share/setup/fetch, over pins and an npm of the test's own."""

import hashlib
import io
import json
import os
import platform
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

FETCH = Path(__file__).resolve().parents[2] / "share" / "setup" / "fetch"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def tar(members):
    """A .tar.gz of {name: bytes, or the name of the member that it is a hard link to}."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            if isinstance(content, str):
                member.type, member.linkname = tarfile.LNKTYPE, content
                archive.addfile(member)
            else:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


class Fetch(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.cache = self.folder / "cache"
        self.registry = self.folder / "registry"
        self.registry.mkdir()
        shutil.copy(FETCH, self.folder / "fetch")
        self.archive = tar({"package/lib.so": b"library", "package/other": b"other"})
        self.kept = [{"from": "package/lib.so", "to": "lib/lib.so", "sha256": sha256(b"library")}]
        self.offer(self.archive)
        self.write_pins()

    def offer(self, data):
        """What the registry answers; None: it cannot be reached. Each call of npm leaves a line."""
        (self.registry / "thing-1.0.tgz").write_bytes(data or b"")
        answer = f"cp {self.registry}/thing-1.0.tgz ." if data else "echo no route >&2; exit 7"
        npm = self.folder / "bin" / "npm"
        npm.parent.mkdir(exist_ok=True)
        npm.write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/calls\n{answer}\n')
        npm.chmod(npm.stat().st_mode | stat.S_IXUSR)

    def write_pins(self, machine=platform.machine()):
        package = {
            "client": "npm",
            "name": "thing",
            "version": "1.0",
            "file": "thing-1.0.tgz",
            "sha256": sha256(self.archive),
            "keep": self.kept,
        }
        pins = {
            "thing": {
                "about": "x",
                "folder": "thing-1.0",
                "machine": machine,
                "packages": [package],
            }
        }
        (self.folder / "pins.json").write_text(json.dumps(pins))

    def fetch(self, *arguments):
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, "-B", self.folder / "fetch", *(arguments or ["thing"])],
            env=os.environ | {"IVM_CACHE": str(self.cache), "PATH": path},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout, done.stderr

    def calls(self):
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def assert_failed_cleanly(self, code, out):
        self.assertEqual((code, out), (1, ""))
        self.assertEqual([entry.name for entry in self.cache.glob("*thing-1.0*")], [])

    def test_only_what_is_wanted_is_kept(self):
        code, out, _ = self.fetch()
        self.assertEqual((code, out), (0, f"{self.cache}/thing-1.0\n"))
        found = [str(p.relative_to(self.cache)) for p in self.cache.rglob("*") if p.is_file()]
        self.assertEqual(sorted(found), [".lock", "thing-1.0/lib/lib.so"])
        self.assertEqual(self.calls(), ["pack thing@1.0"])

    def test_the_second_time_nothing_is_downloaded(self):
        self.fetch()
        self.offer(None)
        code, out, err = self.fetch()
        self.assertEqual((code, out, err), (0, f"{self.cache}/thing-1.0\n", ""))
        self.assertEqual(len(self.calls()), 1)

    def test_a_wrong_sum_is_refused_naming_both(self):
        other = tar({"package/lib.so": b"evil"})
        self.offer(other)
        code, out, err = self.fetch()
        self.assert_failed_cleanly(code, out)
        self.assertIn(f"SHA-256 is {sha256(other)}, expected {sha256(self.archive)}", err)
        self.assertIn("thing-1.0.tgz", err)
        self.assertIn("Nothing was kept", err)

    def test_a_registry_that_is_not_there_is_told_in_its_own_words(self):
        self.offer(None)
        code, out, err = self.fetch()
        self.assert_failed_cleanly(code, out)
        self.assertIn("thing: `npm pack thing@1.0` ended with 7:\n    no route", err)

    def test_downloads_that_lie_there_are_taken_and_left(self):
        self.offer(None)
        beforehand = self.cache / "downloads" / "thing-1.0.tgz"
        beforehand.parent.mkdir(parents=True)
        beforehand.write_bytes(self.archive)
        self.assertEqual(self.fetch()[0], 0)
        self.assertEqual(self.calls(), [])
        self.assertTrue(beforehand.exists())

    def test_downloads_with_a_wrong_sum_are_refused(self):
        beforehand = self.cache / "downloads" / "thing-1.0.tgz"
        beforehand.parent.mkdir(parents=True)
        beforehand.write_bytes(b"x")
        code, out, err = self.fetch()
        self.assert_failed_cleanly(code, out)
        self.assertIn(f"{beforehand}: SHA-256 is {sha256(b'x')}, expected", err)
        self.assertIn("Delete it", err)

    def test_cached_never_downloads(self):
        code, out, err = self.fetch("--cached", "thing")
        self.assert_failed_cleanly(code, out)
        self.assertIn("--cached forbids to download it", err)
        self.assertEqual(self.calls(), [])

    def test_a_damaged_cache_is_found(self):
        self.fetch()
        (self.cache / "thing-1.0/lib/lib.so").write_bytes(b"damaged")
        code, out, err = self.fetch()
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"Delete {self.cache}/thing-1.0 to have it made again", err)

    def test_another_machine_is_told_so(self):
        self.write_pins(machine="pdp11")
        code, out, err = self.fetch()
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"pinned for pdp11 only, and this machine is {platform.machine()}", err)

    def test_an_unknown_name_lists_the_known_ones(self):
        code, _, err = self.fetch("things")
        self.assertEqual(code, 2)
        self.assertIn("'things' is not known; known are thing", err)

    def test_hard_links_to_what_is_not_kept_become_files(self):
        self.archive = tar({"shared/a.jar": b"jar", "p/a.jar": "shared/a.jar"})
        self.kept = [{"from": "p/", "to": "plugin/"}]
        self.offer(self.archive)
        self.write_pins()
        code, _, err = self.fetch()
        self.assertEqual(code, 0, err)
        self.assertEqual((self.cache / "thing-1.0/plugin/a.jar").read_bytes(), b"jar")

    def test_paths_that_lead_outside_are_refused(self):
        self.archive = tar({"p/../../../outside": b"x"})
        self.kept = [{"from": "p/", "to": ""}]
        self.offer(self.archive)
        self.write_pins()
        code, out, err = self.fetch()
        self.assert_failed_cleanly(code, out)
        self.assertIn("leads outside", err)


if __name__ == "__main__":
    unittest.main()
