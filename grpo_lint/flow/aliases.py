"""What the names that a module imports stand for: a table of our own, cheaper than a scope analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grpo_lint.flow.statements import walk_statements

# The conventional short names, for code that receives a library from elsewhere (a star import, a notebook cell).
_CONVENTIONS = {"torch": "torch", "np": "numpy", "numpy": "numpy", "jnp": "jax.numpy", "mx": "mlx.core"}

LIBRARIES = {"torch": "torch", "numpy": "numpy", "jax": "jax", "mlx": "mlx", "einops": "einops", "cupy": "numpy"}


@dataclass(frozen=True, slots=True)
class Aliases:
    """Local name to qualified name, for every import in the module, wherever it stands."""

    names: Mapping[str, str]

    @classmethod
    def of(cls, tree: ast.Module) -> Aliases:
        """Read the imports of a module."""
        table = dict(_CONVENTIONS)
        for node in walk_statements(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                table.update(_imported(node))
        return cls(table)

    def qualify(self, node: ast.expr) -> str | None:
        """`np.repeat` gives "numpy.repeat"; None for what does not start at an imported name."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.names:
            return None
        return ".".join([self.names[node.id], *reversed(parts)])

    def library(self, node: ast.expr) -> str | None:
        """Which tensor library a dotted name belongs to."""
        qualified = self.qualify(node)
        return LIBRARIES.get(qualified.split(".")[0]) if qualified else None


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                if alias.asname:
                    yield alias.asname, alias.name
                else:
                    yield alias.name.split(".")[0], alias.name.split(".")[0]
        case ast.ImportFrom(module=module, names=names, level=level):
            for alias in names:
                yield alias.asname or alias.name, f"{'.' * level}{module or ''}.{alias.name}"
