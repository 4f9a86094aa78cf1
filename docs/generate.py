"""Writes the parts of the documentation that come from the product: rule pages, tables, console output.

    python docs/generate.py [--check]

In README.md and docs/*.md, each `console` block is run in a temporary folder that holds a copy of examples/ and the
`python` and `toml` blocks above it whose first line names a file; what a command prints replaces what the block shows.
The blocks of a page share the folder, so that one may follow from another. With --check nothing is written, and the
exit status is 1 if a file is stale.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from contracts.study import verdicts  # noqa: E402

from grpo_lint.config_keys import schema_of  # noqa: E402
from grpo_lint.rules import CODES, RULES, documentation  # noqa: E402 - this checkout's, installed or not

_BLOCK = re.compile(r"^```(?P<kind>console|python|toml)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE_NAME = re.compile(r"# (?P<name>[\w/-]+\.(?:py|toml))\n")
_TABLE = re.compile(r"(?<=<!-- rules: begin -->\n).*(?=<!-- rules: end -->)", re.DOTALL)
_STUDY = re.compile(r"(?<=<!-- study: begin -->\n).*(?=<!-- study: end -->)", re.DOTALL)
_SHOW_STATUS = "; echo $?"
_SHOWN_FOLDER = "/home/me/code"


def main() -> int:
    """Write, or with --check compare, every generated file."""
    parser = argparse.ArgumentParser(description="Writes the generated parts of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is stale")
    is_check = parser.parse_args().check
    stale = [(path, text) for path, text in pages() if not path.is_file() or path.read_text("utf-8") != text]
    for path, text in stale:
        print(f"{'stale' if is_check else 'written'}: {path.relative_to(ROOT)}")
        if not is_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    return 1 if is_check and stale else 0


def pages() -> Iterator[tuple[Path, str]]:
    """Each file that has generated parts, with the text that it should have."""
    for code in CODES:
        yield ROOT / f"docs/rules/{code}.md", documentation(code) + "\n"
    yield ROOT / "grpo_lint/grpo-lint.schema.json", json.dumps(schema_of(CODES), indent=2) + "\n"
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        page = _TABLE.sub(rule_table(), path.read_text("utf-8"))
        yield path, with_console_output(_STUDY.sub(lambda _: verdicts.section(), page))


def rule_table() -> str:
    """The rules as a Markdown table."""
    rows = ["| code | name | fix | what it reports |", "|---|---|---|---|"]
    for rule in RULES:
        fix = "yes" if rule.fixable else "no"
        name = f"{rule.name} (preview)" if rule.preview else rule.name
        rows.append(f"| [{rule.code}](docs/rules/{rule.code}.md) | {name} | {fix} | {rule.summary} |")
    return "".join(f"{row}\n" for row in rows)


def with_console_output(page: str) -> str:
    """The page with what its commands print now."""
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copytree(
            ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__", ".*_cache")
        )
        return _BLOCK.sub(lambda block: _rendered(block, folder), page)


def _rendered(block: re.Match[str], folder: Path) -> str:
    if block["kind"] == "console":
        commands = [line.removeprefix("$ ") for line in block["body"].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"$ {command}\n{_output(command, folder)}" for command in commands) + "```"
    if named := _FILE_NAME.match(block["body"]):
        (folder / named["name"]).write_text(block["body"], "utf-8")
    return block[0]


def _output(command: str, folder: Path) -> str:
    program, *arguments = shlex.split(command.removesuffix(_SHOW_STATUS))
    if program != "grpo-lint":
        raise ValueError(f"a console block can only run grpo-lint, not {program!r}")
    done = subprocess.run(
        [sys.executable, "-m", "grpo_lint", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command}: exit status {done.returncode}: {done.stdout}")
    status = f"{done.returncode}\n" if command.endswith(_SHOW_STATUS) else ""
    return done.stdout.replace(str(folder), _SHOWN_FOLDER) + status


if __name__ == "__main__":
    sys.exit(main())
