"""A small trainer: samples are graded, and their rewards become advantages."""

from tinytrain.grouping import normalize_by_group
from tinytrain.samples import Sample
from tinytrain.settings import Settings

__all__ = ["Sample", "Settings", "normalize_by_group"]
