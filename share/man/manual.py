#!/usr/bin/env python3
"""Makes a manual page of what a program's --help says.

    share/man/manual.py PROGRAM SECTION VERSION MORE OUTPUT

MORE is the file with the sections that no help holds. `help COMMAND` tells about each command where
the help lists any.
"""

import os
import re
import subprocess
import sys
from pathlib import Path


def said(program, *arguments):
    """Lines of the help, in which the program is called by its name alone."""
    done = subprocess.run(
        [program, *arguments],
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    return done.stdout.decode("utf-8").replace(str(program), Path(program).name).splitlines()


def roff(text):
    """Text that groff and mandoc show as it stands."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    escaped = escaped.replace("^", "\\(ha").replace("~", "\\(ti").replace("`", "\\(ga")
    escaped = re.sub(r"[^\x00-\x7f]", lambda found: f"\\[u{ord(found[0]):04X}]", escaped)
    return "\\&" + escaped if escaped.startswith(".") else escaped


def parts(lines):
    """(heading, lines) of each part; what stands under no heading has an empty one."""
    found = [("", [])]
    for line in lines:
        if re.fullmatch(r"[A-Z][a-z ]+:", line):
            found.append((line[:-1], []))
        elif found[-1][0] and line and not line.startswith(" "):
            found.append(("", [line]))
        else:
            found[-1][1].append(line)
    return found


def paragraphs(lines):
    texts = "\n".join(lines).strip().split("\n\n")
    return "\n.PP\n".join("\n".join(map(roff, text.splitlines())) for text in texts)


def entries(lines):
    """[name, text] of each line of a list; lines without a name go on with the text before."""
    found = []
    for line in lines:
        name, gap, text = line.strip().partition("  ")
        if gap or line.strip().startswith("-"):
            found.append([name, text.strip()])
        elif name:
            found[-1][1] += " " + name
    return found


def listed(lines):
    return "\n".join(f".TP\n\\fB{roff(name)}\\fR\n{roff(text)}" for name, text in entries(lines))


def examples(lines):
    return "\n".join([".EX", *(roff(line) for line in lines if line.strip()), ".EE"])


def command(program, name):
    """One command: how it is called, what it does, its options and examples."""
    (_, (usage, *about)), *more = parts(said(program, "help", name))
    out = [f".SS {roff(name)}", f"\\fB{roff(usage.removeprefix('Usage: '))}\\fR", ".PP"]
    out.append(paragraphs(about))
    for heading, lines in more:
        out.append(".PP\n" + examples(lines) if heading == "Examples" else listed(lines))
    return "\n".join(out)


def manual(program, section, version, more):
    name = Path(program).name
    found = parts(said(program, "--help"))
    first = [line for line in found[0][1] if line]
    usage = next(line for line in first if line.startswith("Usage: ")).removeprefix("Usage: ")
    about = [line for line in first if not line.startswith("Usage: ")]
    summary = re.split(r"\.(?= |$)", " ".join(about))[0]
    out = [
        f'.TH {name.upper()} {section} "" "iceberg\\-ivm {version}"',
        ".SH NAME",
        f"{name} \\- {roff(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS",
        f"\\fB{roff(usage)}\\fR",
        ".SH DESCRIPTION",
        paragraphs(about),
    ]
    for heading, lines in found[1:]:
        if heading == "Commands":
            out.append(".SH COMMANDS")
            out += [command(program, entry) for entry, _ in entries(lines)]
        elif heading:
            out += [f".SH {heading.upper()}", listed(lines)]
        else:
            out += [".SH NOTES", paragraphs(lines)]
    return "\n".join([*out, more.read_text(encoding="utf-8")])


def main():
    program, section, version, more, output = sys.argv[1:]
    Path(output).write_text(manual(program, section, version, Path(more)), encoding="utf-8")


if __name__ == "__main__":
    main()
