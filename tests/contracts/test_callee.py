"""What the called name stands for: imports, aliases, names bound anew, and what takes the place of a function."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from contracts.project import SITE, TOP, marks, told

NAMES = {
    "an import": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "an alias of the import": """
from lab.grouping import normalize_by_prompt as centre

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, centre(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "through the module": """
from lab import grouping

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, grouping.normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "through the dotted module": """
import lab.grouping

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, lab.grouping.normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a relative import": """
from .grouping import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "an import in the function": """
def post_process(args, samples):
    from lab.grouping import normalize_by_prompt

    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a re-export under another name": """
from lab.api import by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a star re-export": """
from lab.everything import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a star import": """
from lab.grouping import *

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "an alias of the module": """
from lab.grouping import normalize_by_prompt
centre = normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, centre(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "a local alias": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    centre = normalize_by_prompt
    return raw, centre(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "an import that may fail": """
try:
    from lab.grouping import normalize_by_prompt
except ImportError:
    normalize_by_prompt = None

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "the call is gone": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):  # breach: `post_process` does not call `lab.grouping.normalize_by_prompt`
    raw = [s.reward for s in samples]
    return raw, raw
""",
    "only a comment is left": """
def post_process(args, samples):  # breach: `post_process` does not call `lab.grouping.normalize_by_prompt`
    # normalize_by_prompt(
    return samples, samples
""",
    "another module's function": """
from lab.legacy import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(  # breach: `normalize_by_prompt` is `lab.legacy.normalize_by_prompt` here, and must
        raw, [s.prompt for s in samples], size=args.n_samples
    )
""",
    "an import in the function hides it": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    from lab.legacy import normalize_by_prompt

    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts)  # breach: is `lab.legacy.normalize_by_prompt` here
""",
    "one of two": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    centre = normalize_by_prompt if args.new else other
    return raw, centre(raw, prompts)  # breach: `centre` is `lab.grouping.normalize_by_prompt` or not imported here
""",
    "bound again in the module": """
from lab.grouping import normalize_by_prompt
normalize_by_prompt = lambda raw, *_, **__: raw

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts)  # breach: or a lambda here, and must be
""",
    "bound again as a global": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts)  # breach: or `builtins.print` here, and must be

def setup():
    global normalize_by_prompt
    normalize_by_prompt = print
""",
    "a parameter of that name": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples, normalize_by_prompt):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts)  # breach: is the parameter `normalize_by_prompt` here
""",
    "replaced in its module": """
from lab import grouping
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

grouping.normalize_by_prompt = print  # breach: `normalize_by_prompt` is replaced here
""",
    "replaced by setattr": """
from lab import grouping
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

setattr(grouping, "normalize_by_prompt", print)  # breach: `normalize_by_prompt` is replaced here
""",
    "the callee is gone": """
from lab.grouping import normalise_by_prompt as normalize_by_prompt

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts)  # breach: is `lab.grouping.normalise_by_prompt` here
""",
    "never imported": """
def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts)  # breach: `normalize_by_prompt` is not imported here
""",
    "only told of in a docstring": '''
def post_process(args, samples):  # breach: does not call
    """Calls normalize_by_prompt(rewards, prompts)."""
    return samples, samples
''',
    "a name of the module's own": """
def normalize_by_prompt(rewards, prompts, size):
    return rewards

def post_process(args, samples):  # breach: `post_process` does not call `lab.grouping.normalize_by_prompt`
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)
""",
    "only one of two branches imports it": """
def post_process(args, samples):
    if args.new:
        from lab.grouping import normalize_by_prompt
    else:
        from lab.legacy import normalize_by_prompt
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: or `lab.legacy.normalize_by_prompt`
""",
    "deleted": """
from lab.grouping import normalize_by_prompt
del normalize_by_prompt

def post_process(args, samples):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: or what line 3 binds here
""",
}


@pytest.mark.parametrize("name", NAMES)
def test_what_the_name_stands_for(name: str, tmp_path: Path) -> None:
    assert told(tmp_path, NAMES[name]) == marks(NAMES[name])


FUNCTIONS = {
    "the function is gone": """\
from lab.grouping import normalize_by_prompt  # breach: `lab/manager.py` has no function `post_process`, which must call

def postprocess(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "it is a class": """
class post_process:  # breach: `post_process` in `lab/manager.py` is a class: name one of its methods
    def __call__(self, args, samples):
        return samples
""",
    "it is bound again": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

post_process = print  # breach: `post_process` may be replaced here, and what must call `normalize_by_prompt` is then
""",
    "it is hidden by an import": """
from lab.grouping import normalize_by_prompt

def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)

from lab.legacy import normalize_by_prompt as post_process  # breach: `post_process` may be replaced here
""",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_which_function_must_call(name: str, tmp_path: Path) -> None:
    assert told(tmp_path, FUNCTIONS[name]) == marks(FUNCTIONS[name])


METHOD = replace(
    SITE,
    function="Manager.post_process",
    arguments=(("prompts", "[sample.prompt for sample in samples]"), ("size", "self.args.n_samples")),
)
METHODS = {
    "a method": """
class Manager:
    def post_process(self, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=self.args.n_samples)
""",
    "a method that calls another": """
class Manager:
    def post_process(self, samples):
        raw = [s.reward for s in samples]
        return raw, self._centre(raw, samples)

    def _centre(self, raw, batch):
        return normalize_by_prompt(raw, [s.prompt for s in batch], size=self.args.n_samples)
""",
    "a property": """
class Manager:
    def post_process(self, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=self.size)  # breach: and is `self.size`

    @property
    def size(self):
        return self.args.n_samples
""",
    "the method is gone": """
class Manager:  # breach: `lab/manager.py` has no function `Manager.post_process`, which must call
    def postprocess(self, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=self.args.n_samples)
""",
    "the method is replaced": """
class Manager:
    def post_process(self, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=self.args.n_samples)

Manager.post_process = lambda self, samples: (samples, samples)  # breach: `Manager.post_process` may be replaced here
""",
    "the method is replaced in the class": """
class Manager:
    def post_process(self, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=self.args.n_samples)

    post_process = print  # breach: `Manager.post_process` may be replaced here
""",
    "an object's own takes the method's place": """
class Manager:
    def __init__(self, args, hook):
        self.args = args
        self.post_process = hook  # breach: `Manager.post_process` may be replaced here

    def post_process(self, samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=self.args.n_samples)
""",
    "a method of that name is another": """
class Manager:
    def post_process(self, samples):  # breach: `Manager.post_process` does not call `lab.grouping.normalize_by_prompt`
        raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
        return raw, self.normalize_by_prompt(raw, prompts)

    def normalize_by_prompt(self, rewards, prompts):
        return rewards
""",
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str, tmp_path: Path) -> None:
    assert told(tmp_path, TOP + METHODS[name], METHOD) == marks(TOP + METHODS[name])


INNER = replace(SITE, function="build.post_process")
INSIDE = {
    "a function inside a function": """
def build(args):
    def post_process(samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    return post_process
""",
    "it does not call": """
def build(args):
    def post_process(samples):  # breach: `build.post_process` does not call `lab.grouping.normalize_by_prompt`
        raw = [s.reward for s in samples]
        return raw, raw
    return normalize_by_prompt(args, args)
""",
    "it is gone": """
def build(args):  # breach: `lab/manager.py` has no function `build.post_process`
    return normalize_by_prompt(args, args)
""",
    "the argument is another": """
def build(args):
    def post_process(samples):
        raw = [s.reward for s in samples]
        prompts = [s.prompt for s in samples]
        return raw, normalize_by_prompt(raw, prompts, size=args.size)  # breach: `size` of `normalize_by_prompt` must be
    return post_process
""",
    "the result is dropped": """
def build(args):
    def post_process(samples):
        raw = [s.reward for s in samples]
        normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
        return raw, raw  # breach: must be returned; `return raw, raw` is without it
    return post_process
""",
    "the name is bound around it": """
def build(args, normalize_by_prompt):
    def post_process(samples):
        raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
        return raw, normalize_by_prompt(raw, prompts, size=args.n_samples)  # breach: is the parameter
    return post_process
""",
    # A miss: what `build` returns is not its function.
    "it is bound again": """
def build(args):
    def post_process(samples):
        raw = [s.reward for s in samples]
        return raw, normalize_by_prompt(raw, [s.prompt for s in samples], size=args.n_samples)
    post_process = print
    return post_process
""",
}


@pytest.mark.parametrize("name", INSIDE)
def test_a_function_inside_a_function(name: str, tmp_path: Path) -> None:
    assert told(tmp_path, TOP + INSIDE[name], INNER) == marks(TOP + INSIDE[name])


PROPERTY = replace(
    SITE,
    function="Batch.rewards",
    arguments=(("prompts", "[sample.prompt for sample in self.samples]"), ("size", "self.args.n_samples")),
)
PROPERTIES = {
    "a property": """
class Batch:
    @property
    def rewards(self):
        raw = [s.reward for s in self.samples]
        return normalize_by_prompt(raw, [s.prompt for s in self.samples], size=self.args.n_samples)
""",
    "a property with a setter": """
class Batch:
    @property
    def rewards(self):
        raw = [s.reward for s in self.samples]
        return normalize_by_prompt(raw, [s.prompt for s in self.samples], size=self.args.n_samples)

    @rewards.setter
    def rewards(self, values):
        self.values = values
""",
    "a property that is kept": """
from functools import cached_property

class Batch:
    @cached_property
    def rewards(self):
        raw = [s.reward for s in self.samples]
        return normalize_by_prompt(raw, [s.prompt for s in self.samples], size=self.args.n_samples)
""",
    "a property that returns something else": """
class Batch:
    @property
    def rewards(self):
        raw = [s.reward for s in self.samples]
        self.kept = normalize_by_prompt(raw, [s.prompt for s in self.samples], size=self.args.n_samples)
        return raw  # breach: must be returned; `return raw` is without it
""",
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties(name: str, tmp_path: Path) -> None:
    assert told(tmp_path, TOP + PROPERTIES[name], PROPERTY) == marks(TOP + PROPERTIES[name])


CENTRE = replace(SITE, calls="lab.grouping.Grouping.centre")
CALLED_METHODS = {
    "of an object made here": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    return raw, Grouping().centre(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "of an object in a local": """
def post_process(args, samples):
    raw = [s.reward for s in samples]
    grouping = Grouping()
    return raw, grouping.centre(raw, [s.prompt for s in samples], size=args.n_samples)
""",
    "of an object that is given": """
def post_process(args, samples, grouping):
    raw, prompts = [s.reward for s in samples], [s.prompt for s in samples]
    return raw, grouping.centre(raw, prompts, size=args.n_samples)  # breach: `grouping.centre` is the parameter
""",
}


@pytest.mark.parametrize("name", CALLED_METHODS)
def test_a_method_that_is_called(name: str, tmp_path: Path) -> None:
    text = "from lab.grouping import Grouping\n" + CALLED_METHODS[name]
    assert told(tmp_path, text, CENTRE) == marks(text)


NOWHERE = """
from lab import grouping

def post_process(args, samples):  # breach: must call, is not defined in the project | does not call
    return samples, grouping.normalise_by_prompt(samples, samples)
"""


def test_a_callee_that_is_defined_nowhere(tmp_path: Path) -> None:
    assert told(tmp_path, NOWHERE, replace(SITE, calls="lab.grouping.normalise_by_prompt")) == marks(NOWHERE)
