"""Imports of a file: put where isort's black profile would put them, and removed where nothing reads them any more."""

from grpo_lint.fixes.imports.change import ImportChange, change_imports, is_bound_otherwise
from grpo_lint.fixes.imports.moving import settle

__all__ = ["ImportChange", "change_imports", "is_bound_otherwise", "settle"]
