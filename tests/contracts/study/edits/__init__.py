"""Every edit of the study."""

from __future__ import annotations

from contracts.study.edits import (
    beyond,
    harmful_arguments,
    harmful_callee,
    harmful_flow,
    harmful_reshapes,
    harmless_spelling,
    harmless_structure,
    later_harmful,
    later_harmless,
    restated,
)

EDITS = (
    *harmless_spelling.EDITS,
    *harmless_structure.EDITS,
    *harmful_callee.EDITS,
    *harmful_arguments.EDITS,
    *harmful_flow.EDITS,
    *harmful_reshapes.EDITS,
    *later_harmless.EDITS,
    *later_harmful.EDITS,
    *restated.EDITS,
    *beyond.EDITS,
)
