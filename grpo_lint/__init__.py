"""grpo-lint: find rewards that are grouped by shape instead of by prompt, and repair them."""

__version__ = "0.1.0"
