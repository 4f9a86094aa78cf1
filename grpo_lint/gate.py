"""The byte gate: whether a file can hold a finding at all. Most files end here, neither decoded nor parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from grpo_lint.search import occurs

# A part of each word by which the vocabulary knows rewards.
_REWARDS = ("reward", "rwd", "adv", "score", "returns", "rets")
# What stands in the text of each way to take groups out of a vector that is no reshape: a slice with two ends, a call
# that cuts up, a quotient (no `//` of an address), a dict of lists, a comparison of keys.
_INNER = r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
SLICES = rf"\[(?:[^\[\]{{}}:]|{_INNER})+:\s*[^\s\],:]"
CUTS = ("slice", "tensor_split", "array_split", "batched", "chunked")
OTHER_BLOCKS = rf"{SLICES}|//(?<![:/]//)\s*[\w(\x80-\xff]|split[)\s]*\(\s*[^\"'\s)]|chunk[)\s]*\(\s*[^\"'\s)]"
BLOCKS = rf"\b(?:{'|'.join(CUTS)})\b|{OTHER_BLOCKS}"
COLLECTIONS = ("setdefault", "groupby")
OTHER_BUCKETS = r"\][)\s]*\.\s*append\b|\][)\s]*\+=[(\s]*\["
BUCKETS = rf"\b(?:{'|'.join(COLLECTIONS)})\b|{OTHER_BUCKETS}"
KEYS = "=="
# What code speaks of that compares the samples of one prompt with each other.
GROUP_RELATIVE = r"grpo(?![-_]lint|\d{3})|gspo|cispo|rloo|group.?relative|leave.?one.?out"
# The statistics of a part, by the names under which libraries have them.
SPREADS = ("std", "var", "nanstd", "nanvar", "std_mean", "var_mean", "stdev", "variance")
PART_STATISTICS = (*SPREADS, "mean", "nanmean", "median", "nanmedian", "sum", "nansum", "fmean", "pstdev", "pvariance")

# The import of a helper that takes a statistic, as far as its name tells; and the statistics of a reshape.
CENTRING = r"import\b[^\n(]*(?:\([^)]*)?(?:normali[sz]|cent(?:er|re)|whiten|standardi[sz]|demean|baseline|adv)"
STATISTICS = rf"(?:mean|median|sum|std|var)\b|{CENTRING}".encode()


def any_word(words: Iterable[str]) -> bytes:
    """A pattern for one of these words."""
    return rf"\b(?:{'|'.join(words)})\b".encode()


_ASCII = re.compile(r"[\x00-\x7f]*")


def mention_of_rewards(extra: Sequence[str]) -> str:
    """A regular expression for what occurs, in some case, in every text that names rewards."""
    return "|".join(map(re.escape, (*_REWARDS, *_parts(extra))))


def mentions_rewards(data: bytes, extra: Sequence[str]) -> bool:
    """Whether rewards are named: the same as a search for `mention_of_rewards`, at a tenth of its price."""
    lower = data.lower()
    return any(word.encode().lower() in lower for word in (*_REWARDS, *_parts(extra)))


def _parts(names: Sequence[str]) -> Iterator[str]:
    """The longest part of each name that has the same bytes in whatever encoding; it may be empty, which is in all."""
    return (name if name.isascii() else max(_ASCII.findall(name), key=len) for name in names)


def passes(data: bytes, gates: Iterable[Sequence[bytes]]) -> bool:
    """Whether of one gate at least all patterns occur."""
    return any(passing(data, gates))


def passing(data: bytes, gates: Iterable[Sequence[bytes]]) -> Iterator[bool]:
    """Of each gate whether all its patterns occur. What several gates want is sought once."""
    known: dict[bytes, bool] = {}
    for gate in gates:
        yield all(_is_known(pattern, data, known) for pattern in reversed(gate))


def _is_known(pattern: bytes, data: bytes, known: dict[bytes, bool]) -> bool:
    if pattern not in known:
        known[pattern] = occurs(pattern, data)
    return known[pattern]
