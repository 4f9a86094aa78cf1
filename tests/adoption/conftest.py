"""What the tests of adoption share: wheels to install from, a repository to install, and a clean environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from scratch import Repository, clean_environment, repository_of
from wheelhouse import build_wheelhouse

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables of a process that installs from GRPO_LINT_WHEELHOUSE, or else from wheels of what is installed here."""
    given = os.environ.get("GRPO_LINT_WHEELHOUSE")
    wheels = Path(given) if given else tmp_path_factory.mktemp("wheelhouse")
    if not given:
        build_wheelhouse(ROOT / "pyproject.toml", wheels)
    assert any(wheels.glob("libcst-*.whl")), f"{wheels} holds no wheels of what grpo-lint needs"
    return clean_environment(tmp_path_factory.mktemp("home"), wheels)


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Repository:
    """This checkout, with what is not committed, as a repository to install from."""
    return repository_of(ROOT, tmp_path_factory.mktemp("product"), environment)
