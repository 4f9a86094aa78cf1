"""Mutations of programs that change nothing which a rule is about: the findings stay, wherever their code goes."""

from __future__ import annotations

from collections.abc import Mapping

from moves import (
    add_unrelated,
    make_functions,
    make_methods,
    swap_statements,
    wrap_each_in_function,
    wrap_functions_in_blocks,
    wrap_in_blocks,
    wrap_in_function,
)
from programs import Mutation
from rewordings import (
    add_docstrings,
    annotate,
    extract_locals,
    inline_locals,
    name_axes,
    rename_variables,
    reorder_keywords,
    respell_axes,
    spell_out_operators,
    use_in_place_operators,
)

MUTATIONS: Mapping[str, Mutation] = {
    each.__name__: each
    for each in (
        rename_variables,
        extract_locals,
        inline_locals,
        annotate,
        add_docstrings,
        use_in_place_operators,
        spell_out_operators,
        reorder_keywords,
        respell_axes,
        name_axes,
        swap_statements,
        wrap_in_blocks,
        wrap_functions_in_blocks,
        wrap_in_function,
        wrap_each_in_function,
        make_methods,
        make_functions,
        add_unrelated,
    )
}

# Gaps: rules whose findings do not follow a mutation or a layout yet, each with what the data flow would have to learn.
UNFOLLOWED: Mapping[str, frozenset[str]] = {
    # `ranges = range(0, len(rewards), n)`, `bucket = groups[key]` and `table = frame.groupby(key)` are not followed
    "extract_locals": frozenset({"GRPO003", "GRPO004", "GRPO005", "GRPO006", "GRPO007", "GRPO008", "GRPO009"}),
    # what is centred on the batch in a branch is taken for one option of several
    "wrap_in_blocks": frozenset({"GRPO008"}),
    # an operator in place is reported elsewhere than one that is spelled out
    "use_in_place_operators": frozenset({"GRPO006", "GRPO008"}),
    "spell_out_operators": frozenset({"GRPO006", "GRPO008"}),
}
