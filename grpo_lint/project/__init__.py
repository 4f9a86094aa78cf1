"""What a repair knows of the codebase around a file: read from its files, parsed, never executed."""

from __future__ import annotations

from grpo_lint.project.annotations import Element
from grpo_lint.project.calls import Argument, Fit, accepts_call
from grpo_lint.project.classes import ClassReference
from grpo_lint.project.functions import Candidate
from grpo_lint.project.modules import Cache, Module
from grpo_lint.project.project import Project

__all__ = [
    "Argument",
    "Cache",
    "Candidate",
    "ClassReference",
    "Element",
    "Fit",
    "Module",
    "Project",
    "accepts_call",
]
