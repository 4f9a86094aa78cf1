"""Contracts of call sites: what a function must call, and how, checked on its source without importing it."""

from __future__ import annotations

from grpo_lint.contracts.call_site import Breach, CallSite

__all__ = ["Breach", "CallSite"]
