"""Comparisons as Markdown and as JSON."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence

from comparison import Comparison
from rounds import Timing


def machine() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    version = ".".join(map(str, sys.version_info[:3]))
    return f"Python {version}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}"


def markdown(comparison: Comparison) -> str:
    return "\n".join(_lines(comparison)) + "\n"


def as_json(comparisons: Sequence[Comparison]) -> str:
    """Give all figures: seconds of every round, medians, ratios to the subject, targets and what was missing."""
    content = {"machine": machine(), "comparisons": [_record(comparison) for comparison in comparisons]}
    return json.dumps(content, indent=2) + "\n"


def _lines(comparison: Comparison) -> Iterator[str]:
    yield f"### {comparison.title}"
    yield ""
    if comparison.timings:
        yield f"| | median | rounds | `{comparison.subject.name}` against it | target | exit |"
        yield "|---|--:|--:|--:|---|--:|"
    for timing in comparison.timings:
        cells = (
            f"`{timing.name}`",
            _duration(timing.median),
            str(len(timing.seconds)),
            *_judgement(comparison, timing),
        )
        yield f"| {' | '.join(cells)} | {', '.join(map(str, timing.statuses))} |"
    if comparison.missing:
        yield ""
    for missing in comparison.missing:
        yield f"Left out: {missing.name} (`{missing.command}`)."


def _judgement(comparison: Comparison, timing: Timing) -> tuple[str, str]:
    if timing is comparison.subject:
        return "", ""
    target = comparison.target(timing)
    verdict = "holds" if comparison.holds(timing) else "misses"
    return _ratio(comparison.ratio(timing)), "" if target is None else f"{target}: {verdict}"


def _duration(seconds: float) -> str:
    units = ((1, "s"), (1e3, "ms"))
    # 0.9995 is 1 in the three digits that are shown.
    factor, unit = next((pair for pair in units if seconds * pair[0] >= 0.9995), (1e6, "µs"))
    amount = seconds * factor
    return f"{amount:.3g} {unit}" if amount < 999.5 else f"{amount:.0f} {unit}"


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f} times the time" if ratio >= 1 else f"{1 / ratio:.1f} times faster"


def _record(comparison: Comparison) -> dict[str, object]:
    return {
        "title": comparison.title,
        "timings": [
            {
                "name": timing.name,
                "median": timing.median,
                "seconds": timing.seconds,
                "statuses": timing.statuses,
                "ratio": comparison.ratio(timing),
                "target": getattr(comparison.target(timing), "ratio", None),
                "holds": comparison.holds(timing),
            }
            for timing in comparison.timings
        ],
        "missing": [{"name": missing.name, "command": missing.command} for missing in comparison.missing],
    }
