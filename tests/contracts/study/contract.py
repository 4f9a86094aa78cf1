"""The contract that guards the call site of the study, as users configure it."""

from __future__ import annotations

from pathlib import Path

from contracts.study.edit import MANAGER
from contracts.study.guards import CLASS_NAME, METHOD_NAME, Guard

from grpo_lint import contracts

SITE = contracts.CallSite(
    file=MANAGER,
    function=f"{CLASS_NAME}.{METHOD_NAME}",
    calls="tinytrain.grouping.normalize_by_group",
    arguments=(
        ("group_indices", "[sample.group_index for sample in samples]"),
        ("rollout_ids", "[sample.rollout_id for sample in samples]"),
        ("fallback_group_size", "self.args.n_samples_per_prompt"),
    ),
    result=contracts.Result.RETURNED,
    absent=("GRPO001", "GRPO002"),
)


def holds(root: Path) -> bool:
    """The contract can be checked in the project of this folder, and has no breach."""
    try:
        return not contracts.check(SITE, root)
    except contracts.ContractError:
        return False


CONTRACT = Guard(
    "contract",
    'the callee, those three arguments, `result = "returned"` and `absent = ["GRPO001", "GRPO002"]`.',
    holds,
)
