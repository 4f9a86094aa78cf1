"""Which rule reports a reshape that a test wants absent."""

from __future__ import annotations

import ast

from grpo_lint.flow.module import analyse
from grpo_lint.flow.nodes import walk_nodes
from grpo_lint.flow.vocabulary import Vocabulary
from grpo_lint.guards.likeness import readings
from grpo_lint.rules import load
from grpo_lint.source import Source
from grpo_lint.subjects import FUNCTIONS
from grpo_lint.syntax import parse_quietly

_PROGRAM = """\
def advantages_of({parameters}):
    # GRPO: of each prompt's samples, as whoever asserts that says of the file
    _grid = {reshape}
    return (_grid - _grid.mean(dim=-1, keepdim=True)).flatten()
"""


def code_of_reshape(text: str) -> str | None:
    """The code of the rule that reports a reshape if it is the base of advantages; None for anything else."""
    for tree in readings(text):
        match tree.body:
            case [ast.Expr(value=value)] | [ast.Assign(value=value)] if code := _reported(value):
                return code
    return None


def _reported(value: ast.expr) -> str | None:
    names = sorted({node.id for node in walk_nodes(value) if isinstance(node, ast.Name)})
    program = _PROGRAM.format(parameters=", ".join(names), reshape=ast.unparse(value))
    try:
        tree = parse_quietly(program)
    except SyntaxError:
        return None
    for facts in analyse(Source.from_text("reshape.py", program), tree, Vocabulary()):
        for rule, check in load(FUNCTIONS):
            if any(True for _ in check(facts)):
                return rule.code
    return None
