#!/usr/bin/env python3
"""tests/trino/processes.py: what down may stop, and what it must never touch."""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "trino"))
import processes  # noqa: E402

SLEEPER = ["sleep", "300"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('deaf', flush=True); time.sleep(300)",
]


class Processes(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.record = self.folder / "x.pid"
        self.log = self.folder / "x.log"

    def start(self, command):
        process = processes.start(self.record, command, self.log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def change_record(self, **values):
        noted = json.loads(self.record.read_text()) | values
        self.record.write_text(json.dumps(noted))

    def test_what_was_started_is_stopped(self):
        process = self.start(SLEEPER)
        self.assertEqual(processes.running(self.record), process.pid)
        processes.stop(self.record)
        self.assertEqual(process.wait(), -signal.SIGTERM)
        self.assertFalse(self.record.exists())

    def test_a_deaf_process_is_killed_when_patience_ends(self):
        process = self.start(STUBBORN)
        while "deaf" not in self.log.read_text():
            self.assertIsNone(process.poll())
        processes.stop(self.record, patience=0.3)
        self.assertEqual(process.wait(), -signal.SIGKILL)

    def test_a_pid_given_out_again_is_left_alone(self):
        process = self.start(SLEEPER)
        self.change_record(start=processes.start_ticks(process.pid) - 1)
        processes.stop(self.record)
        self.assertIsNone(process.poll())

    def test_a_record_of_another_boot_is_left_alone(self):
        process = self.start(SLEEPER)
        self.change_record(boot="another")
        processes.stop(self.record)
        self.assertIsNone(process.poll())

    def test_an_ended_process_does_not_run(self):
        process = self.start(["true"])
        process.wait()
        self.assertIsNone(processes.running(self.record))

    def test_names_with_blanks_and_parentheses_are_read(self):
        program = self.folder / "a) (b"
        shutil.copy(shutil.which("sleep"), program)
        process = self.start([str(program), "300"])
        self.assertEqual(processes.running(self.record), process.pid)

    def test_nothing_is_stopped_where_nothing_was_noted(self):
        processes.stop(self.record)
        self.record.write_text("no json")
        self.assertIsNone(processes.running(self.record))

    def test_free_ports_can_be_taken(self):
        port, other = processes.free_ports(2)
        self.assertNotEqual(port, other)
        command = f"import socket; s = socket.socket(); s.bind(('127.0.0.1', {port}))"
        self.assertEqual(subprocess.run([sys.executable, "-c", command]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
