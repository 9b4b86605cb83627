#!/usr/bin/env python3
"""Shows that each check can fail, and that it lets good files pass."""

import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_errors
import check_format
import check_layers
import check_source

HERE = Path(__file__).resolve().parent
HEADER = "// What it is.\n#pragma once\n"


CHECKS = {
    "check_layers.py": check_layers.check,
    "check_source.py": lambda root: check_source.Checker(root).run(),
    "check_errors.py": check_errors.check,
    "check_format.py": check_format.check,
}


@contextlib.contextmanager
def written(tree):
    """A folder holding the files of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in tree.items():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        yield Path(folder)


def run(check, tree):
    """Runs a check over a tree; returns its exit code and its lines on stdout."""
    out = io.StringIO()
    with written(tree) as folder, contextlib.redirect_stdout(out):
        with contextlib.redirect_stderr(io.StringIO()):
            code = CHECKS[check](folder)
    return code, out.getvalue().splitlines()


class Layers(unittest.TestCase):
    def expect(self, path, include, *errors):
        code, lines = run("check_layers.py", {path: f"// About.\n#include {include}\n"})
        self.assertEqual(lines, list(errors))
        self.assertEqual(code, 1 if errors else 0)

    def test_lower_layers_may_be_included(self):
        self.expect("framework/refresh/refresh.cpp", '"framework/view/shape.h"')
        self.expect("framework/view/shape.cpp", '"framework/sql/ast.h"')
        self.expect("plugins/executor_x/x.cpp", '"framework/sqlexec/merge.h"')
        self.expect("cli/ivmctl/main.cpp", '"framework/host/host.h"')
        self.expect("framework/host/plugin_catalog.cpp", "<QPluginLoader>")

    def test_a_layer_must_not_look_up(self):
        self.expect(
            "framework/base/log.cpp",
            '"framework/api/plugin.h"',
            "error: framework/base/log.cpp:2: framework/base includes framework/api/plugin.h; "
            "beside itself it may include nothing",
        )

    def test_refresh_and_migrate_do_not_see_each_other(self):
        for one, other in (("refresh", "migrate"), ("migrate", "refresh")):
            code, lines = run(
                "check_layers.py", {f"framework/{one}/a.cpp": f'#include "framework/{other}/b.h"\n'}
            )
            self.assertEqual(code, 1)
            self.assertIn(f"framework/{one} includes framework/{other}/b.h", lines[0])

    def test_plugins_do_not_see_the_core_nor_each_other(self):
        for name in (
            "framework/view/shape.h",
            "framework/refresh/refresh.h",
            "framework/host/host.h",
            "plugins/store_y/y.h",
        ):
            code, lines = run(
                "check_layers.py", {"plugins/executor_x/x.cpp": f'#include "{name}"\n'}
            )
            self.assertEqual(code, 1, name)
            self.assertIn(f"plugins/executor_x includes {name}", lines[0])

    def test_the_product_does_not_include_tests(self):
        code, lines = run(
            "check_layers.py", {"framework/api/a.cpp": '#include "tests/support/fake.h"\n'}
        )
        self.assertEqual(code, 1, lines)

    def test_only_the_host_loads_plugins_and_serves(self):
        self.expect(
            "framework/refresh/refresh.cpp",
            "<QPluginLoader>",
            "error: framework/refresh/refresh.cpp:2: framework/refresh includes <QPluginLoader>; "
            "only the host loads plugins (framework/host)",
        )
        for include in ("<QHttpServer>", "<QtHttpServer/QHttpServer>", "<QAbstractHttpServer>"):
            code, _ = run("check_layers.py", {"plugins/executor_x/x.cpp": f"#include {include}\n"})
            self.assertEqual(code, 1, include)

    def test_an_unknown_folder_must_be_placed(self):
        code, lines = run("check_layers.py", {"framework/misc/x.cpp": "// About.\n"})
        self.assertEqual(code, 1)
        self.assertIn("lies in no part", lines[0])

    def test_no_files_at_all_is_a_failure(self):
        self.assertEqual(run("check_layers.py", {"README.md": "x\n"})[0], 1)


BAD = {
    "todo": ("framework/base/a.cpp", "int a = 1;  // TODO later\n"),
    "machine-path": ("share/doc/a.md", "see /home/somebody/notes\n"),
    "keyword": ("framework/base/a.h", HEADER + "signals:\n"),
    "string-connect": ("framework/base/a.cpp", "auto s = SIGNAL(done());\n"),
    "sleep": ("tests/unit/a.cpp", "void f() { QTest::qSleep(100); }\n"),
    "print": ("framework/base/a.cpp", "void f() { std::cout << 1; }\n"),
    "throw": ("plugins/x/a.cpp", "void f() { throw 1; }\n"),
    "exit": ("framework/base/a.cpp", "void f() { std::exit(1); }\n"),
    "assert": ("framework/base/a.cpp", "void f() { assert(1 < 2); }\n"),
    "using-namespace": ("framework/base/a.h", HEADER + "using namespace std;\n"),
    "literal-suffix": ("framework/base/a.cpp", 'auto s = u"x"_qs;\n'),
    "name": ("framework/base/a.h", HEADER + "class PluginManager {\n};\n"),
    "null": ("framework/base/a.cpp", "int *p = NULL;\n"),
    "empty-check": ("tests/unit/a.cpp", "void f() { QVERIFY(true); }\n"),
    "disabled-code": ("framework/base/a.cpp", "#if 0\n#endif\n"),
    "tab": ("framework/base/a.cpp", "\tint a;\n"),
    "line-end": ("framework/base/a.cpp", "int a; \n"),
    "width": ("framework/base/a.cpp", "//" + "x" * 99 + "\n"),
    "length": ("framework/base/a.cpp", "int a;\n" * 601),
    "file-name": ("framework/base/BadName.cpp", "int a;\n"),
    "pragma-once": ("framework/base/a.h", "// About.\nint a();\n"),
    "header-comment": ("framework/base/a.h", "#pragma once\n"),
    "include-path": ("framework/base/a.cpp", '#include "b.h"\n'),
    "arg-chain": ("cli/a.cpp", "auto s = form.arg(view.spec.name).arg(1);\n"),
    "strict-shell": ("share/a", "#!/usr/bin/env bash\necho\n"),
}


class SourceRules(unittest.TestCase):
    def test_every_rule_has_a_bad_example(self):
        self.assertEqual(
            set(BAD), {rule.name for rule in check_source.RULES} | set(check_source.FILE_RULES)
        )

    def test_each_rule_finds_its_bad_example_and_nothing_else(self):
        for rule, (path, text) in BAD.items():
            with self.subTest(rule=rule):
                code, lines = run("check_source.py", {path: text})
                self.assertEqual(code, 1)
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], rf"^error: {path}:\d+: \[{rule}\] ")

    def test_a_line_may_allow_itself_with_a_reason(self):
        line = "QThread::msleep(5);  // lint: allow sleep: there is nothing to wait on\n"
        self.assertEqual(run("check_source.py", {"framework/base/a.cpp": line}), (0, []))
        for words in ("lint: allow sleep:", "lint: allow throw: another rule"):
            text = f"QThread::msleep(5);  // {words}\n"
            self.assertEqual(run("check_source.py", {"framework/base/a.cpp": text})[0], 1, words)

    def test_comments_and_literals_are_no_code(self):
        text = (
            "// may throw 1; std::cout; NULL; sleep(1)\n"
            "/* throw\n   NULL */\n"
            'auto a = "throw \\" NULL";\n'
            'auto b = R"(throw " NULL)";\n'
            "auto c = u'\"'; auto d = 1'000'000;\n"
            'auto e = u"std::cout";\n'
        )
        self.assertEqual(run("check_source.py", {"framework/base/a.cpp": text}), (0, []))

    def test_what_stops_yaml_cpp_may_be_thrown_where_it_is_used(self):
        text = "#include <yaml-cpp/yaml.h>\nvoid f() { throw 1; }\n"
        self.assertEqual(run("check_source.py", {"framework/host/a.cpp": text}), (0, []))

    def test_aborting_something_else_is_no_exit(self):
        text = "void f() { reply->abort(); reply.abort(); }\n"
        self.assertEqual(run("check_source.py", {"plugins/x/a.cpp": text}), (0, []))
        for text in ("void f() { abort(); }\n", "void f() { ::_exit(1); }\n"):
            self.assertEqual(run("check_source.py", {"plugins/x/a.cpp": text})[0], 1, text)

    def test_code_after_a_literal_is_still_code(self):
        text = "auto c = u'\"'; int *p = NULL; auto d = '\"';\n"
        self.assertEqual(run("check_source.py", {"framework/base/a.cpp": text})[0], 1)

    def test_numbers_may_be_filled_in_one_by_one(self):
        for chain, code in (
            (".arg(count).arg(f(1, 2)).arg(name)", 0),
            (".arg(seconds, 0, 'f', 3).arg(name)", 0),
            (".arg(one, two)", 0),
            (".arg(one, two).arg(3)", 1),
            (".arg(count)\n    .arg(typeText(t))\n    .arg(3)", 1),
            (".arg(error->message).arg(3)", 1),
        ):
            text = f"auto s = form{chain};\n"
            self.assertEqual(run("check_source.py", {"plugins/a.cpp": text})[0], code, chain)

    def test_the_last_line_must_end(self):
        self.assertEqual(run("check_source.py", {"framework/base/a.cpp": "int a;"})[0], 1)

    def test_carriage_returns_are_found(self):
        self.assertEqual(run("check_source.py", {"framework/base/a.cpp": "int a;\r\n"})[0], 1)

    def test_what_a_build_made_is_not_looked_at(self):
        tree = {"framework/base/a.cpp": "int a;\n", "build/dev/b.cpp": "int *p = NULL;\n"}
        self.assertEqual(run("check_source.py", tree), (0, []))


class Errors(unittest.TestCase):
    GIVEN = {
        "framework/a.cpp": 'fail(invalidError(text).withCode(u"bad_thing"));\n',
        "plugins/x/b.cpp": 'auto kHeld = u"held";\nerror.withCode(kHeld);\n',
    }

    def expect(self, listed, *errors):
        document = f"# Errors\n`not_this`\n\n## Codes\n\nNot `this`.\n\n**Some**: {listed}.\n"
        code, lines = run("check_errors.py", {**self.GIVEN, "share/doc/errors.md": document})
        self.assertEqual(lines, list(errors))
        self.assertEqual(code, 1 if errors else 0)

    def test_what_is_given_is_listed(self):
        self.expect("`bad_thing`,\n`held`")

    def test_what_is_not_listed_is_found(self):
        self.expect("`held`", "framework/a.cpp:1: the code 'bad_thing' is not in share/doc/errors.md")

    def test_what_is_listed_and_not_given_is_found(self):
        self.expect("`bad_thing`, `held`, `gone`", "share/doc/errors.md: no source has the code 'gone'")


class Programs(unittest.TestCase):
    """The checks as ctest runs them."""

    def outcome(self, *command):
        done = subprocess.run(
            [sys.executable, "-B", HERE / command[0], *command[1:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return done.returncode, done.stdout

    def test_a_problem_is_printed_and_fails(self):
        with written(
            {"framework/base/a.cpp": '#include "framework/api/x.h"\n'}
        ) as tree:
            code, out = self.outcome("check_layers.py", tree)
            self.assertEqual((code, out[:32]), (1, "error: framework/base/a.cpp:1: f"))
        with written({"framework/base/a.cpp": "#if 0\n#endif\n"}) as tree:
            code, out = self.outcome("check_source.py", tree)
            self.assertEqual((code, out[:32]), (1, "error: framework/base/a.cpp:1: ["))


@unittest.skipUnless(shutil.which(check_format.PROGRAM), f"{check_format.PROGRAM} is not installed")
class Format(unittest.TestCase):
    style = {".clang-format": (HERE.parents[1] / ".clang-format").read_text(encoding="utf-8")}

    def test_formatted_code_passes(self):
        self.assertEqual(
            run("check_format.py", self.style | {"framework/a.cpp": "int a = 1;\n"}), (0, [])
        )

    def test_other_code_does_not(self):
        code, lines = run(
            "check_format.py", self.style | {"framework/a.cpp": "int b;\nint   a=1;\n"}
        )
        self.assertEqual(code, 1)
        self.assertEqual(
            lines, [f"error: framework/a.cpp:2: not as {check_format.PROGRAM} writes it"]
        )


if __name__ == "__main__":
    unittest.main()
