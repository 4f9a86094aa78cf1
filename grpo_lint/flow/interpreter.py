"""Walks the statements of one function in order, along every branch, and of the helpers that it hands rewards to."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from grpo_lint.flow.effects import matters
from grpo_lint.flow.elements import element_of
from grpo_lint.flow.environment import Environment, Record, join
from grpo_lint.flow.expressions import Evaluator, path_of
from grpo_lint.flow.facts import Function, ModuleFacts, Normalising, Role
from grpo_lint.flow.filling import MUTATORS, appends_in, changes_parameter, starts_empty
from grpo_lint.flow.foreign import Helper, Relocation, is_worth_following, plain_arguments
from grpo_lint.flow.nodes import children_of
from grpo_lint.flow.origins import vector_from_loop
from grpo_lint.flow.parameters import parameter_value
from grpo_lint.flow.statistics import is_statistic
from grpo_lint.flow.traversal import is_reward_like
from grpo_lint.flow.values import UNKNOWN, Choice, Local, Mapped, Scalar, Several, Value, Vector

if sys.version_info >= (3, 11):
    TryStatement = ast.Try | ast.TryStar
else:
    TryStatement = ast.Try

_HELPER_DEPTH = 3
_HELPER_CALLS = 100
_LOOP_DEPTH = 3


@dataclass(slots=True)
class Interpreter:
    """Walks one function. `callers` are the functions whose calls led here, innermost last."""

    module: ModuleFacts
    record: Record
    methods: dict[str, Function]
    callers: tuple[Function | ast.Lambda, ...] = ()
    returns: list[Value] = field(default_factory=list)
    evaluator: Evaluator = field(init=False)
    loops: int = 0
    leaving: list[Environment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.evaluator = Evaluator(self.module, self.record, self.inline)

    def bind_parameters(self, function: Function | ast.Lambda, env: Environment) -> None:
        """Give every parameter the value that its name and annotation tell."""
        arguments = function.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self._bind_parameter(argument, parameter_value(argument, self.module.vocabulary), env)
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                self._bind_parameter(extra, UNKNOWN, env)

    def _bind_parameter(self, argument: ast.arg, value: Value, env: Environment) -> None:
        env.bind(argument.arg, value, self.record.define(argument.arg, argument, value, None))

    def run(self, statements: Sequence[ast.stmt], env: Environment) -> None:
        """Walk the statements of a block until one leaves it. A function in it may call those that stand below."""
        for statement in statements:
            if isinstance(statement, Function) and statement.name not in env.bindings:
                self._bind_function(statement, env)
        for statement in statements:
            if not env.is_live:
                return
            self._execute(statement, env)

    def _execute(self, statement: ast.stmt, env: Environment) -> None:
        match statement:
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
                self._assign(statement, env)
            case ast.Expr(value=value):
                self.evaluator.evaluate(value, env)
                self._in_place(value, statement, env)
            case ast.Return(value=value):
                self.returns.append(self.evaluator.evaluate(value, env) if value else UNKNOWN)
                env.is_live = False
            case ast.Raise():
                self._evaluate_children(statement, env)
                env.is_live = False
            case ast.Break() | ast.Continue():
                self.leaving.append(env.copy())
                env.is_live = False
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._define_function(statement, env)
            case ast.ClassDef():
                self._define_class(statement, env)
            case _:
                self._execute_compound(statement, env)

    def _execute_compound(self, statement: ast.stmt, env: Environment) -> None:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                self.evaluator.evaluate(test, env)
                self._branch(test, body, orelse, env)
            case ast.For() | ast.AsyncFor():
                self._for(statement, env)
            case ast.While(test=test, body=body, orelse=orelse):
                self.evaluator.evaluate(test, env)
                self._loop(body, env)
                self.run(orelse, env)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    value = self.evaluator.evaluate(item.context_expr, env)
                    if item.optional_vars is not None:
                        self.evaluator.bind_targets(item.optional_vars, value, statement, env, None)
                self.run(body, env)
            case ast.Match(subject=subject, cases=cases):
                self.evaluator.evaluate(subject, env)
                self._match(cases, env)
            case _ if isinstance(statement, TryStatement):
                self._try(statement, env)
            case _:
                self._evaluate_children(statement, env)

    def _evaluate_children(self, statement: ast.stmt, env: Environment) -> None:
        for child in children_of(statement):
            if isinstance(child, ast.expr):
                self.evaluator.evaluate(child, env)

    # assignments

    def _assign(self, statement: ast.stmt, env: Environment) -> None:
        match statement:
            case ast.Assign(targets=targets, value=right):
                value = self.evaluator.evaluate(right, env)
                for target in targets:
                    self.evaluator.bind_targets(target, value, statement, env, right)
            case ast.AnnAssign(target=target, value=right) if right is not None:
                value = self.evaluator.evaluate(right, env)
                self.evaluator.bind_targets(target, value, statement, env, right)
            case ast.AugAssign(target=target):
                value = self.evaluator.augmented(statement, env)
                self.evaluator.bind_targets(target, value, statement, env, None)
                self._fill(statement, statement, env)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.evaluator.evaluate(target, env)
                    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                        self._disorder(target.value.id, target, statement, env)

    def _in_place(self, value: ast.expr, statement: ast.stmt, env: Environment) -> None:
        """`advantages.sub_(mean)` as a statement changes the name it is called on."""
        self._fill(value, statement, env)
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method.endswith("_"):
                changed = self.record.values.get(value, UNKNOWN)
                if changed is not UNKNOWN:
                    env.bind(name, changed, self.record.define(name, statement, changed, value))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in MUTATORS:
                self._disorder(name, value, statement, env)
            case ast.Call(args=[ast.Name(id=name)], func=ast.Attribute(attr="shuffle") | ast.Name(id="shuffle")):
                self._disorder(name, value, statement, env)
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in self.module.functions:
                for position, argument in enumerate(arguments):
                    if isinstance(argument, ast.Name) and changes_parameter(self.module.functions[name], position):
                        self._disorder(argument.id, value, statement, env)
            case ast.Call(keywords=keywords):
                for target in (keyword.value for keyword in keywords if keyword.arg == "out"):
                    if isinstance(target, ast.Name):
                        self._disorder(target.id, value, statement, env)

    def _fill(self, node: ast.AST, statement: ast.stmt, env: Environment) -> None:
        """`groups[key].append(reward)` makes the name a dict of lists."""
        for container, buckets in self.evaluator.parts.filled(node):
            path = path_of(container)
            if path is not None:
                env.bind(path, buckets, self.record.define(path, statement, buckets, None))

    def _disorder(self, name: str, value: ast.expr, statement: ast.stmt, env: Environment) -> None:
        binding = env.bindings.get(name)
        if binding is not None and isinstance(binding.value, Several):
            env.bind(name, UNKNOWN, self.record.define(name, statement, UNKNOWN, None))
        if binding is not None and isinstance(binding.value, Vector):
            changed = replace(binding.value, version=value, disorder=value, items=None)
            env.bind(name, changed, self.record.define(name, statement, changed, None))

    # branches and loops

    def _branch(
        self, test: ast.expr | None, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt], env: Environment
    ) -> None:
        taken, other = env.copy(), env.copy()
        self.run(body, taken)
        self.run(orelse, other)
        env.replace(join(test, taken, other))

    def _match(self, cases: Sequence[ast.match_case], env: Environment) -> None:
        result = env.copy()
        for case in cases:
            branch = env.copy()
            if case.guard is not None:
                self.evaluator.evaluate(case.guard, branch)
            self.run(case.body, branch)
            result = join(None, branch, result)
        env.replace(result)

    def _try(self, statement: TryStatement, env: Environment) -> None:
        """A handler starts from before the try: that is where an assignment that raised has left its name."""
        before = env.copy()
        self.run(statement.body, env)
        self.run(statement.orelse, env)
        result = env.copy()
        for handler in statement.handlers:
            branch = before.copy()
            self.run(handler.body, branch)
            result = join(None, result, branch)
        env.replace(result)
        self.run(statement.finalbody, env if env.is_live else before)

    def _for(self, statement: ast.For | ast.AsyncFor, env: Environment) -> None:
        iterated = self.evaluator.evaluate(statement.iter, env)
        self.evaluator.bind_targets(statement.target, element_of(iterated, statement), statement, env, None)
        before = env.copy()
        self._loop(statement.body, env)
        self.run(statement.orelse, env)
        if isinstance(statement, ast.For):
            self._gather(statement, before, env)

    def _loop(self, body: Sequence[ast.stmt], env: Environment) -> None:
        """The body may run not at all, once, or again with what it left behind."""
        self.loops += 1
        leaving, self.leaving = self.leaving, []
        for _ in range(2 if self.loops < _LOOP_DEPTH else 1):
            once = env.copy()
            self.run(body, once)
            for ended in (once, *self.leaving):
                env.replace(join(None, ended, env))
            self.leaving = []
        self.leaving = leaving
        self.loops -= 1

    def _gather(self, loop: ast.For, before: Environment, env: Environment) -> None:
        """`for sample in samples: rewards.append(sample.reward)`, with nothing that could skip a sample."""
        appends = self.record.appends.get(loop)
        if appends is None:
            appends = self.record.appends[loop] = tuple(appends_in(loop))
        for append in appends:
            vector = vector_from_loop(loop, append.value, self.module.vocabulary)
            if vector is None:
                continue
            if not (append.is_of_every_round and starts_empty(before, append.name)):
                vector = replace(vector, samples=None, disorder=append.statement)
            env.bind(append.name, vector, self.record.define(append.name, append.statement, vector, None))

    # functions

    def _define_function(self, function: Function, env: Environment) -> None:
        self._bind_function(function, env)
        known = self.record.values_in(function) if any(key[0] is function for key in self.record.returned) else {}
        inner = env.copy()
        returns, self.returns = self.returns, []
        self.bind_parameters(function, inner)
        self.run(function.body, inner)
        self.returns = returns
        self.record.values.update(known)  # what a call gave it tells more than its parameters

    def _bind_function(self, function: Function, env: Environment) -> None:
        value = Local(function)
        env.bind(function.name, value, self.record.define(function.name, function, value, None))

    def _define_class(self, definition: ast.ClassDef, env: Environment) -> None:
        """A class inside a function: its methods see the function's names."""
        methods, self.methods = self.methods, dict(self.module.methods.get(definition.name, {}))
        for statement in definition.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self._define_function(statement, env.copy())
            elif isinstance(statement, ast.ClassDef):
                self._define_class(statement, env)
        self.methods = methods

    def inline(self, call: ast.Call, callee: Value, arguments: Sequence[Value]) -> Value | None:
        """What a function of this module returns for these arguments; None if it is none, or gets no rewards."""
        function = self._callee(call, callee)
        if function is None and (callee is UNKNOWN or isinstance(callee, Scalar)):
            return self._inline_foreign(call, arguments)
        if function is None or function in self.callers or len(self.callers) >= _HELPER_DEPTH:
            return None
        if not any(is_reward_like(value) or is_statistic(value) for value in arguments):
            return None
        known = self.record.returned
        key = (function, tuple(keyword.arg for keyword in call.keywords), tuple(map(_identity, arguments)))
        if key not in known and len(known) < _HELPER_CALLS:
            known[key] = None  # what a recursion in the meantime is told
            known[key] = self._run_helper(function, call, arguments)
        return known.get(key)

    def _inline_foreign(self, call: ast.Call, arguments: Sequence[Value]) -> Value | None:
        """What a function of another module returns; what it does with groups that were made here is noted."""
        if len(self.callers) >= _HELPER_DEPTH or not is_worth_following(call.func):
            return None
        if self.module.aliases.qualify(call.func) is None or self._is_local(call.func):
            return None
        if not any(is_reward_like(value) or is_statistic(value) for value in arguments):
            return None
        known, key = self.record.returned, (call, tuple(map(_identity, arguments)))
        if key not in known and len(known) < _HELPER_CALLS:
            helper = None if self.module.aliases.library(call.func) else self.module.find_helper(call.func)
            known[key] = None if helper is None else self._run_foreign(helper, call, arguments)
        return known.get(key)

    def _is_local(self, node: ast.expr) -> bool:
        """Whether a name, or the first of a chain of attributes, was given a value in the function."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and bool(self.record.loads.get(node))

    def _run_foreign(self, helper: Helper, call: ast.Call, arguments: Sequence[Value]) -> Value | None:
        record, env = Record(), Environment()
        walker = Interpreter(helper.module, record, {}, (*self.callers, helper.function))
        walker.bind_parameters(helper.function, env)
        walker.bind_arguments(helper.function, call, arguments, env)
        walker.run_body(helper.function, env)
        relocation = Relocation.of(call, helper, arguments)
        for found in record.normalisings:
            if found.role is Role.FILTER or not matters(found, helper.function, record):
                continue
            if all(map(relocation.is_own, found.groupings)):
                values, statistic = relocation.of_value(found.values), relocation.of_value(found.statistic)
                self.record.normalisings.append(Normalising(call, found.role, values, statistic, found.groupings))
        self.record.foreign_calls.add(call)
        returned = _joined(walker.returns)
        return None if returned is None else relocation.of_value(returned)

    def _run_helper(self, function: Function | ast.Lambda, call: ast.Call, arguments: Sequence[Value]) -> Value | None:
        helper = Interpreter(self.module, self.record, self.methods, (*self.callers, function))
        env = Environment()
        helper.bind_parameters(function, env)
        helper.bind_arguments(function, call, arguments, env)
        helper.run_body(function, env)
        return _joined(helper.returns)

    def run_body(self, function: Function | ast.Lambda, env: Environment) -> None:
        if isinstance(function, ast.Lambda):
            self.returns.append(self.evaluator.evaluate(function.body, env))
        else:
            self.run(function.body, env)

    def bind_arguments(
        self, function: Function | ast.Lambda, call: ast.Call, arguments: Sequence[Value], env: Environment
    ) -> None:
        """Give the parameters the values of a call's arguments, where those are known."""
        parameters = [*function.args.posonlyargs, *function.args.args]
        if parameters and isinstance(call.func, ast.Attribute) and parameters[0].arg in ("self", "cls"):
            parameters = parameters[1:]
        by_name = {argument.arg: argument for argument in (*parameters, *function.args.kwonlyargs)}
        given = arguments[: len(plain_arguments(call))]
        pairs: list[tuple[ast.arg | None, Value]] = list(zip(parameters, given, strict=False))
        for keyword, value in zip(call.keywords, arguments[len(call.args) :], strict=True):
            pairs.append((by_name.get(keyword.arg or ""), value))
        for parameter, value in pairs:
            if parameter is not None and value is not UNKNOWN:
                self._bind_parameter(parameter, self._renamed(value, parameter.arg), env)

    def _renamed(self, value: Value, name: str) -> Value:
        return replace(value, names=value.names | {name}) if isinstance(value, Scalar) else value

    def _callee(self, call: ast.Call, callee: Value) -> Function | ast.Lambda | None:
        if isinstance(callee, Local):
            return callee.node
        if isinstance(callee, Mapped):
            return self._callee(ast.Call(callee.function, [], []), callee.value)
        match call.func:
            case ast.Name(id=name):
                return self.module.functions.get(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                return self.methods.get(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in self.module.methods:
                return self.module.methods[owner].get(name)
            case _:
                return None


def _identity(value: Value) -> object:
    """What makes two arguments the same to a helper: the same rewards, or numbers of the same names."""
    return value.names if isinstance(value, Scalar) else value


def _joined(values: Sequence[Value]) -> Value | None:
    known = [value for value in values if value is not UNKNOWN]
    if not known:
        return None
    result = known[0]
    for value in known[1:]:
        result = _join_values(result, value)
    return result


def _join_values(one: Value, other: Value) -> Value:
    if isinstance(one, Several) and isinstance(other, Several) and len(one.items) == len(other.items):
        return Several(tuple(_join_values(a, b) for a, b in zip(one.items, other.items, strict=True)))
    return one if one is other else Choice(None, one, other)
