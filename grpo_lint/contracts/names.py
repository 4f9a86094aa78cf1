"""What is called: the qualified name that an expression stands for, through imports, aliases and re-exports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grpo_lint.contracts.scopes import Binding, Function
from grpo_lint.contracts.unit import Frame, Unit, is_static, statements_of
from grpo_lint.project import Module
from grpo_lint.project.modules import Bound, Imported, ModulePlace, file_of, read_module
from grpo_lint.suggestion import did_you_mean

_DEPTH = 30
_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """What an expression stands for: `name` is its qualified name, `node` its definition where the project has it.

    `place` is set for a module, `frame` for a function inside a function (the one around it), `owner` for a method.
    Of an instance, `node` is its class. `given` are the calls of `functools.partial` on the way, innermost first.
    """

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | None = None
    module: Module | None = None
    place: ModulePlace | None = None
    frame: Frame | None = None
    owner: ast.ClassDef | None = None
    is_instance: bool = False
    is_bound: bool = False
    is_known: bool = True
    given: tuple[ast.Call, ...] = ()

    @property
    def key(self) -> object:
        """Equal for what is the same. Several definitions of one name in a module, such as overloads, are."""
        if self.module is None or self.node is None:
            return self.name, self.is_instance, len(self.given)
        owner = self.owner.name if self.owner is not None else None
        name = getattr(self.node, "name", None)
        line = None if self.frame is None and name is not None else self.node.lineno
        return self.module.path, owner, name, line, self.is_instance, len(self.given)


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """Resolves the expressions of one unit; `known` and `targets` are memos."""

    unit: Unit
    known: dict[Binding, tuple[Meaning, ...]] = field(default_factory=dict)
    targets: dict[str, Meaning | None] = field(default_factory=dict)

    def target(self, dotted: str) -> Meaning | None:
        """What a dotted name stands for, from outside; None where the project has its module, but not the name."""
        if dotted not in self.targets:
            self.targets[dotted] = self._target(dotted)
        return self.targets[dotted]

    def _target(self, dotted: str) -> Meaning | None:
        parts = dotted.split(".")
        for length in range(len(parts) - 1, 0, -1):
            place = self._place(".".join(parts[:length]))
            if place is not None and file_of(place.base) is not None:
                found: Sequence[Meaning] = [Meaning(".".join(parts[:length]), place=place)]
                for name in parts[length:]:
                    found = [inner for each in found for inner in self._attribute(each, name, 0)]
                known = [each for each in found if each.is_known]
                return known[0] if known else None
        return Meaning(dotted)

    def is_method(self, dotted: str) -> bool:
        """Whether a dotted name is one of a method, which an object may have replaced for itself."""
        found = self.target(dotted)
        return found is not None and found.owner is not None

    def nearest(self, dotted: str) -> str:
        """The end of a complaint about a name that its module has not: the nearest one that it has."""
        module_name, _, name = dotted.rpartition(".")
        path = self.unit.project.resolve_module(module_name)
        module = None if path is None else read_module(path, self.unit.project.cache)
        return "" if module is None else did_you_mean(name, module.bindings)

    def _place(self, dotted: str) -> ModulePlace | None:
        found = self.unit.project.resolver.find_module(dotted)
        if found is None and dotted.partition(".")[0] == "grpo_lint":
            return ModulePlace(Path(__file__).parents[2].joinpath(*dotted.split(".")))
        return found

    def meanings(self, expression: ast.expr, frame: Frame | None, depth: int = 0) -> tuple[Meaning, ...]:
        """All that an expression may stand for; none where it is not a name of anything."""
        found = () if depth > _DEPTH else self._meanings(expression, frame, depth + 1)
        return tuple({each.key: each for each in found}.values())

    def _meanings(self, expression: ast.expr, frame: Frame | None, depth: int) -> Iterator[Meaning]:
        match expression:
            case ast.Name(id=name):
                yield from self._name(name, frame, depth)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if _is_self(name, frame):
                assert frame is not None
                yield from self._method(frame.self_class, attribute, depth)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=attribute) if frame is not None:
                yield from self._method(frame.self_class, attribute, depth, is_own=False)
            case ast.Attribute(value=value, attr=attribute):
                for owner in self.meanings(value, frame, depth):
                    yield from self._attribute(owner, attribute, depth)
            case ast.IfExp(body=body, orelse=orelse):
                yield from (*self.meanings(body, frame, depth), *self.meanings(orelse, frame, depth))
            case ast.NamedExpr(value=value):
                yield from self.meanings(value, frame, depth)
            case ast.Lambda():
                yield Meaning("a lambda", expression, self.unit.module, frame=frame)
            case ast.Call():
                yield from self._made(expression, frame, depth)
            case _:
                yield _unknown(expression)

    def _made(self, call: ast.Call, frame: Frame | None, depth: int) -> Iterator[Meaning]:
        """What a call makes: an instance of a class, a partial function."""
        for function in self.meanings(call.func, frame, depth):
            if function.name == "functools.partial" and call.args:
                inner = self.meanings(call.args[0], frame, depth)
                yield from (replace(each, given=(*each.given, call)) for each in inner)
            elif isinstance(function.node, ast.ClassDef) and not function.is_instance:
                yield replace(function, is_instance=True)
            else:
                yield _unknown(call)

    def _name(self, name: str, frame: Frame | None, depth: int) -> Iterator[Meaning]:
        home = None if frame is None else frame.binding_frame(name)
        scope = self.unit.scope if home is None else home.scope
        bindings = scope.of(name)
        if home is None:
            bindings = (*bindings, *self.unit.rebound.get(name, ()))
        for binding in bindings:
            yield from self._known_binding(binding, home, depth)
        if home is None:
            yield from self._from_outside(name, bindings, depth)

    def _known_binding(self, binding: Binding, frame: Frame | None, depth: int) -> tuple[Meaning, ...]:
        """What a binding stands for, found out once; nothing while that is going on, for `f = g(f)`."""
        if binding not in self.known:
            self.known[binding] = ()
            self.known[binding] = tuple(self._binding(binding, frame, depth))
        return self.known[binding]

    def _from_outside(self, name: str, bindings: Sequence[Binding], depth: int) -> Iterator[Meaning]:
        """A name of the module that a star import binds, perhaps again; of one that nothing binds, or Python's own."""
        last = max((binding.line for binding in bindings), default=0)
        stars = [star for star in self.unit.scope.stars if star.line > last and isinstance(star.value, Imported)]
        starred = [
            each
            for star in stars
            if isinstance(star.value, Imported)
            for each in self._imported(star.value, name, self.unit.module, depth)
        ]
        known = [each for each in starred if each.module is not None]
        if bindings:
            yield from known
        else:
            yield from known[-1:] or starred[-1:] or [Meaning(f"builtins.{name}")]

    def _binding(self, binding: Binding, frame: Frame | None, depth: int) -> Iterator[Meaning]:
        value = binding.value
        if isinstance(value, Imported):
            yield from self._import(value, self.unit.module, depth)
        elif isinstance(value, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = value.name if frame is None else f"{frame.name}.<locals>.{value.name}"
            yield Meaning(f"{self.unit.name}.{name}", value, self.unit.module, frame=frame)
        elif isinstance(value, ast.Constant) and value.value is None:
            return  # `normalize = None`, where an optional import fails
        elif value is not None:
            yield from self.meanings(value, frame, depth)
        elif binding.is_parameter:
            yield Meaning(f"the parameter `{binding.name}`", is_known=False)
        else:
            yield Meaning(f"what line {binding.line} binds", is_known=False)

    # through the modules of the project

    def _import(self, imported: Imported, module: Module, depth: int) -> Iterator[Meaning]:
        if imported.name is not None:
            yield from self._imported(imported, imported.name, module, depth)
            return
        place = self._placed(imported, module)
        yield Meaning(imported.module, place=place)

    def _placed(self, imported: Imported, module: Module) -> ModulePlace | None:
        if imported.level:
            return self.unit.project.resolver.place(imported, module)
        return self._place(imported.module)

    def _imported(self, imported: Imported, name: str, module: Module, depth: int) -> Iterator[Meaning]:
        """`name` of the module that is imported from."""
        place = self._placed(imported, module)
        if place is None:
            yield Meaning(".".join(filter(None, (imported.module, name))))
        else:
            yield from self._member(place, self._name_of(imported, module), name, depth)

    def _name_of(self, imported: Imported, module: Module) -> str:
        """The absolute name of the module that is imported from."""
        if not imported.level:
            return imported.module
        own = (self.unit.project.name_of(module.path) or "").split(".")
        cut = imported.level - (module.path.name == "__init__.py")
        return ".".join(filter(None, (*own[: len(own) - cut], imported.module)))

    def _member(self, place: ModulePlace, module_name: str, name: str, depth: int) -> Iterator[Meaning]:
        path = file_of(place.base)
        module = None if path is None else read_module(path, self.unit.project.cache)
        found = [] if module is None else list(self._bound_in(module, module_name, name, depth))
        if not found and _is_module(place.base / name):
            found = [Meaning(f"{module_name}.{name}", place=ModulePlace(place.base / name))]
        yield from found or [Meaning(f"{module_name}.{name}", is_known=path is None or _has_foreign_star(module))]

    def _bound_in(self, module: Module, module_name: str, name: str, depth: int) -> Iterator[Meaning]:
        """What a module's top level binds a name to."""
        bindings = module.bindings.get(name, ())
        for bound in () if depth > _DEPTH else bindings:
            yield from self._bound(bound, module, f"{module_name}.{name}", depth + 1)
        if not bindings:
            starred = [each for star in module.stars for each in self._imported(star, name, module, depth + 1)]
            yield from (each for each in starred if each.is_known)

    def _bound(self, bound: Bound, module: Module, name: str, depth: int) -> Iterator[Meaning]:
        match bound:
            case Imported():
                yield from self._import(bound, module, depth)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield Meaning(f"{name.rpartition('.')[0]}.{bound.name}", bound, module)
            case ast.Constant(value=None):
                return
            case ast.Name(id=alias) if alias in module.bindings:
                yield from self._bound_in(module, name.rpartition(".")[0], alias, depth)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute) if owner in module.bindings:
                for each in self._bound_in(module, name.rpartition(".")[0], owner, depth):
                    yield from self._attribute(each, attribute, depth)
            case _:
                yield Meaning(name)

    def _attribute(self, owner: Meaning, name: str, depth: int) -> Iterator[Meaning]:
        match owner.node:
            case _ if owner.place is not None:
                yield from self._member(owner.place, owner.name, name, depth + 1)
            case ast.ClassDef() as node:
                for found in self._methods(node, owner.module, owner.name, name, depth):
                    yield replace(
                        found, is_bound=found.owner is not None and (owner.is_instance or _is_class_method(found.node))
                    )
            case None if owner.is_known:
                yield Meaning(f"{owner.name}.{name}")
            case _:
                yield Meaning(f"{owner.name}.{name}", is_known=False)

    def _method(self, node: ast.ClassDef | None, name: str, depth: int, is_own: bool = True) -> Iterator[Meaning]:
        """`self.name`; `super().name` where `is_own` is not set."""
        found: list[Meaning] = []
        if node is not None and is_own:
            found += self._methods(node, self.unit.module, f"{self.unit.name}.{node.name}", name, depth)
        elif node is not None:
            found += self._inherited(node, self.unit.module, name, depth)
        yield from (replace(each, is_bound=each.owner is not None and not _is_static(each.node)) for each in found)
        if not found:
            yield Meaning(f"self.{name}", is_known=False)

    def _class_aliases(self, node: ast.ClassDef, name: str, depth: int) -> Iterator[Meaning]:
        """What a class of the unit assigns to a name in its body: `centre = staticmethod(normalize)`."""
        for statement in statements_of(node.body):
            match statement:
                case ast.Assign(
                    targets=[ast.Name(id=target)], value=ast.Call(func=ast.Name(id="staticmethod"), args=[value])
                ) if target == name:
                    yield from self.meanings(value, None, depth)
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                    yield _unknown(value)

    def _methods(
        self, node: ast.ClassDef, module: Module | None, class_name: str, name: str, depth: int
    ) -> Iterator[Meaning]:
        """The methods of a name, of a class or the first of its bases that has it."""
        own = [each for each in statements_of(node.body) if isinstance(each, _METHODS) and each.name == name]
        for method in own[-1:]:
            yield Meaning(f"{class_name}.{name}", method, module, owner=node)
        aliases = list(self._class_aliases(node, name, depth)) if module is self.unit.module else []
        yield from aliases
        if not own and not aliases and module is not None and depth <= _DEPTH:
            yield from self._inherited(node, module, name, depth)

    def _inherited(self, node: ast.ClassDef, module: Module, name: str, depth: int) -> Iterator[Meaning]:
        """The methods of a name that a class has from the first of its bases that the project shows."""
        for base in node.bases:
            resolved = self.unit.project.resolver.resolve(base, module)
            inner = getattr(resolved, "node", None)
            if isinstance(inner, ast.ClassDef):
                home: Module = getattr(resolved, "module", module)
                yield from self._methods(inner, home, inner.name, name, depth + 1)
                return


def _unknown(expression: ast.expr) -> Meaning:
    return Meaning(f"`{ast.unparse(expression)}`", is_known=False)


def _is_self(name: str, frame: Frame | None) -> bool:
    if frame is None or frame.self_name != name:
        return False
    home = frame.binding_frame(name)
    return home is not None and home.owner is not None


def _is_static(node: Function | ast.ClassDef | None) -> bool:
    return isinstance(node, _METHODS) and is_static(node)


def _is_class_method(node: Function | ast.ClassDef | None) -> bool:
    from grpo_lint.contracts.unit import decorators_of

    return isinstance(node, _METHODS) and "classmethod" in decorators_of(node)


def _is_module(base: Path) -> bool:
    return file_of(base) is not None or base.is_dir()


def _has_foreign_star(module: Module | None) -> bool:
    """Whether a module may have names that the project does not show."""
    return module is None or bool(module.stars) or "__getattr__" in module.bindings
