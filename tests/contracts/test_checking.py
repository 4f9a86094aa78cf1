from __future__ import annotations

from pathlib import Path

import pytest
from contracts.project import BODY, IMPORT, breaches, manager

CALL = BODY[BODY.index("rewards = normalize") : BODY.index("    return raw, rewards")]
ARGUMENTS = """\
raw,
[sample.prompt for sample in samples],
[sample.attempt for sample in samples],
scale=self.args.scale,
size=self.args.n_samples,
"""


def body(text: str) -> str:
    """A body with CALL for the call's arguments in place."""
    return text.replace("CALL", "normalize_by_prompt(" + ARGUMENTS.replace("\n", " ") + ")")


HOLDS = {
    "as it is": manager(),
    "in one line": manager(body("raw = [s.reward for s in samples]\nreturn raw, CALL\n")),
    "other variables and quotes": manager(
        BODY.replace("[sample.prompt for sample in samples]", "[(s . prompt)  for s in (samples)]")
    ),
    "all by keyword": manager(
        BODY.replace("        raw,", "        rewards=raw,").replace(
            "        [sample.prompt", "        prompts=[sample.prompt"
        )
    ),
    "all by position": manager(body(BODY.replace(CALL, "rewards = CALL\n"))),
    "an alias of the import": manager(
        BODY.replace("normalize_by_prompt", "centre"), "from lab.grouping import normalize_by_prompt as centre\n"
    ),
    "through the module": manager(
        BODY.replace("normalize_by_prompt", "grouping.normalize_by_prompt"), "from lab import grouping\n"
    ),
    "through the dotted module": manager(
        BODY.replace("normalize_by_prompt", "lab.grouping.normalize_by_prompt"), "import lab.grouping\n"
    ),
    "a relative import": manager(imports="from .grouping import normalize_by_prompt\n"),
    "an import in the function": manager("from lab.grouping import normalize_by_prompt\n" + BODY, ""),
    "a re-export under another name": manager(
        BODY.replace("normalize_by_prompt", "by_prompt"), "from lab.api import by_prompt\n"
    ),
    "a star re-export": manager(imports="from lab.everything import normalize_by_prompt\n"),
    "a star import": manager(imports="from lab.grouping import *\n"),
    "an alias of the module": manager(
        imports=IMPORT + "centre = normalize_by_prompt\n", body=BODY.replace("normalize_by_prompt", "centre")
    ),
    "a local alias": manager("centre = normalize_by_prompt\n" + BODY.replace("= normalize_by_prompt", "= centre")),
    "an import that may fail": manager(
        imports="try:\n    from lab.grouping import normalize_by_prompt\nexcept ImportError:\n"
        "    normalize_by_prompt = None\n"
    ),
    "arguments in locals": manager(
        body(
            "prompts = [s.prompt for s in samples]\n"
            + BODY.replace("        [sample.prompt for sample in samples],", "        prompts,")
        )
    ),
    "settings in a local": manager("args = self.args\n" + BODY.replace("=self.args", "=args")),
    "a walrus": manager(
        BODY.replace("[sample.prompt for sample in samples]", "(prompts := [s.prompt for s in samples])")
    ),
    "a list filled by a loop": manager(
        "prompts = []\nfor s in samples:\n    prompts.append(s.prompt)\n"
        + BODY.replace("[sample.prompt for sample in samples]", "prompts")
    ),
    "a dictionary of options": manager(
        BODY.replace("        size=self.args.n_samples,\n", "        **options,\n").replace(
            "if self", "options = {'size': self.args.n_samples}\nif self"
        )
    ),
    "a dictionary that grows": manager(
        BODY.replace("        size=self.args.n_samples,\n", "        **options,\n").replace(
            "if self", "options = dict()\noptions['size'] = self.args.n_samples\nif self"
        )
    ),
    "arguments in a tuple": manager(
        BODY.replace("        raw,\n        [sample.prompt for sample in samples],\n", "        *given,\n").replace(
            "if self", "given = (raw, [s.prompt for s in samples])\nif self"
        )
    ),
    "a partial function": manager(
        BODY.replace("= normalize_by_prompt(", "= centre(")
        .replace("        size=self.args.n_samples,\n", "")
        .replace("if self", "centre = partial(normalize_by_prompt, size=self.args.n_samples)\nif self"),
        IMPORT + "from functools import partial\n",
    ),
    "samples copied first": manager("samples = list(samples)\n" + BODY),
    "the result as a list": manager(BODY.replace("return raw, rewards", "return raw, list(rewards)")),
    "the result in a tuple": manager(BODY.replace("return raw, rewards", "both = (raw, rewards)\n    return both")),
    "the result unpacked": manager(
        BODY.replace("return raw, rewards", "both = (raw, rewards)\n    first, second = both\n    return first, second")
    ),
    "the result in a dictionary": manager(
        BODY.replace("return raw, rewards", 'out = {"raw": raw}\n    out["rewards"] = rewards\n    return out')
    ),
    "the result in a record": manager(BODY.replace("return raw, rewards", "return Rewards(raw=raw, rewards=rewards)")),
    "the result copied one by one": manager(
        BODY.replace("return raw, rewards", "return raw, [float(each) for each in rewards]")
    ),
    "the result in another name": manager(
        BODY.replace("return raw, rewards", "advantages = rewards\n    return raw, advantages")
    ),
    "one return at the end": manager(
        BODY.replace("if self", "rewards = raw\nif self")
        .replace("    return raw, rewards\n", "")
        .replace("return raw, raw", "return raw, rewards")
    ),
    "a conditional expression": manager(
        body("raw = [s.reward for s in samples]\nreturn raw, CALL if self.args.normalize else raw\n")
    ),
    "an early return": manager(
        body("raw = [s.reward for s in samples]\nif not self.args.normalize:\n    return raw, raw\nreturn raw, CALL\n")
    ),
    "errors told and raised again": manager(
        body(
            "raw = [s.reward for s in samples]\ntry:\n    rewards = CALL\nexcept ValueError:\n"
            "    print(raw)\n    raise\nreturn raw, rewards\n"
        )
    ),
    "in try and finally": manager(
        body("raw = [s.reward for s in samples]\ntry:\n    return raw, CALL\nfinally:\n    print(raw)\n")
    ),
    "in a with": manager(
        body("raw = [s.reward for s in samples]\nwith timer():\n    rewards = CALL\nreturn raw, rewards\n")
    ),
    "in a function inside": manager(
        body("raw = [s.reward for s in samples]\ndef centred():\n    return CALL\nreturn raw, centred()\n")
    ),
    "in a lambda": manager(body("raw = [s.reward for s in samples]\ncentred = lambda: CALL\nreturn raw, centred()\n")),
    "in another method": manager(
        "raw = [s.reward for s in samples]\nreturn raw, self._centre(raw, samples)\n",
        inside=body("\n\ndef _centre(self, raw, batch):\n    return CALL\n").replace(" samples", " batch"),
    ),
    "in a function of the module": manager(
        "raw = [s.reward for s in samples]\nreturn raw, centre(self.args, raw, samples)\n",
        after=body("def centre(args, raw, samples):\n    return CALL\n").replace("self.args", "args"),
    ),
    "a decorator that registers it": manager(after="def listed(method):\n    return method\n").replace(
        "    def post", "    @listed\n    def post"
    ),
    "a decorator that times it": manager(
        after="def timed(name):\n    def decorate(method):\n        def wrapper(*args):\n"
        "            found = method(*args)\n"
        "            return found\n        return wrapper\n    return decorate\n"
    ).replace("    def post", "    @timed('post')\n    def post"),
    "a decorator from elsewhere": manager().replace("    def post", "    @torch.no_grad()\n    def post"),
    "a helper sets something else": manager(
        "note(samples)\n" + BODY, after="def note(batch):\n    for sample in batch:\n        sample.seen = True\n"
    ),
    "logged in between": manager(BODY.replace("return raw, rewards", "logger.info(rewards)\n    return raw, rewards")),
    "only what is never run overwrites it": manager(
        BODY.replace("return raw, rewards", "if False:\n        rewards = raw\n    return raw, rewards")
    ),
    "matched": manager(
        body(
            "raw = [s.reward for s in samples]\nmatch self.args.kind:\n    case 'group':\n"
            "        return raw, CALL\n    case _:\n        return raw, raw\n"
        )
    ),
    "getattr of a plain name": manager(BODY.replace("self.args.n_samples", 'getattr(self.args, "n_samples")')),
    "the name is used otherwise later": manager(
        "prompts = [s.prompt for s in samples]\n"
        + BODY.replace("[sample.prompt for sample in samples]", "prompts").replace(
            "return raw, raw", "prompts = None\nreturn raw, raw"
        )
    ),
}


@pytest.mark.parametrize("name", HOLDS)
def test_a_contract_holds(name: str, tmp_path: Path) -> None:
    assert breaches(tmp_path, HOLDS[name]) == ()


FAILS = {
    "the call is gone": (manager("raw = [s.reward for s in samples]\nreturn raw, raw\n"), "does not call"),
    "only a comment is left": (manager("# normalize_by_prompt(\nreturn samples, samples\n"), "does not call"),
    "another module's function": (
        manager(imports="from lab.legacy import normalize_by_prompt\n"),
        "`normalize_by_prompt` is `lab.legacy.normalize_by_prompt` here, and must be "
        "`lab.grouping.normalize_by_prompt`",
    ),
    "an import in the function hides it": (
        manager("from lab.legacy import normalize_by_prompt\n" + BODY),
        "`lab.legacy.normalize_by_prompt` here",
    ),
    "one of two": (
        manager(
            "centre = normalize_by_prompt if self.args.new else other\n"
            + BODY.replace("= normalize_by_prompt(", "= centre(")
        ),
        "or not imported here",
    ),
    "bound again in the module": (
        manager(imports=IMPORT + "normalize_by_prompt = lambda raw, *_, **__: raw\n"),
        "a lambda here",
    ),
    "bound again as a global": (
        manager(after="def setup():\n    global normalize_by_prompt\n    normalize_by_prompt = print\n"),
        "`builtins.print` here",
    ),
    "a parameter of that name": (
        manager(BODY).replace(
            "def post_process(self, samples)", "def post_process(self, samples, normalize_by_prompt)"
        ),
        "the parameter `normalize_by_prompt` here",
    ),
    "replaced in its module": (
        manager(BODY, "from lab import grouping\n" + IMPORT, after="grouping.normalize_by_prompt = print\n"),
        "`normalize_by_prompt` is replaced here",
    ),
    "replaced by setattr": (
        manager(BODY, "from lab import grouping\n" + IMPORT, after="setattr(grouping, 'normalize_by_prompt', print)\n"),
        "`normalize_by_prompt` is replaced here",
    ),
    "the callee is gone": (
        manager(imports="from lab.grouping import normalise_by_prompt as normalize_by_prompt\n"),
        "`normalize_by_prompt` is `lab.grouping.normalise_by_prompt` here",
    ),
    "never imported": (manager(imports=""), "`normalize_by_prompt` is not imported here"),
    "a decorator that never calls it": (
        manager(
            after="def off(method):\n    def wrapper(self, samples):\n"
            "        return samples, samples\n    return wrapper\n"
        ).replace("    def post", "    @off\n    def post"),
        "`off` stands between",
    ),
    "identities set by a helper": (
        manager(
            "relabel(samples)\n" + BODY,
            after="def relabel(batch):\n    for i, s in enumerate(batch):\n        s.prompt = i\n",
        ),
        "`prompt` is set here",
    ),
    "the method is replaced": (
        manager(after="Manager.post_process = lambda self, samples: (samples, samples)\n"),
        "`Manager.post_process` may be replaced here",
    ),
    "the method is replaced in the class": (
        manager(inside="\n\npost_process = print\n"),
        "`Manager.post_process` may be replaced here",
    ),
    "under a false condition": (
        manager(BODY.replace("if self.args.normalize", "if False")),
        "under `if False` on line",
    ),
    "under another false condition": (
        manager(BODY.replace("if self.args.normalize", "if self.args.normalize and not True")),
        "never runs",
    ),
    "under a constant": (
        manager(BODY.replace("if self.args.normalize", "if USE"), IMPORT + "USE = 0\n"),
        "under `if USE`",
    ),
    "under TYPE_CHECKING": (manager(BODY.replace("if self.args.normalize", "if TYPE_CHECKING")), "never runs"),
    "after a return": (
        manager("raw = [s.reward for s in samples]\nreturn raw, raw\n" + BODY),
        "after the `return` on line",
    ),
    "after a return that is certain": (manager("if True:\n    return samples, samples\n" + BODY), "never runs"),
    "after a raise": (manager("raise ValueError(samples)\n" + BODY), "after the `raise`"),
    "in a loop over nothing": (manager(BODY.replace("if self.args.normalize", "for _ in ()")), "which is empty"),
    "in a function that nothing calls": (
        manager(body("raw = [s.reward for s in samples]\ndef centred():\n    return CALL\nreturn raw, raw\n")),
        "in `centred`, which nothing calls",
    ),
    "in a lambda that nothing calls": (
        manager(body("raw = [s.reward for s in samples]\ncentred = lambda: CALL\nreturn raw, raw\n")),
        "which nothing calls",
    ),
    "in a handler of nothing": (
        manager(
            body(
                "raw = [s.reward for s in samples]\ntry:\n    pass\nexcept ValueError:\n"
                "    return raw, CALL\nreturn raw, raw\n"
            )
        ),
        "whose `try` cannot fail",
    ),
    "another attribute": (
        manager(BODY.replace("sample.prompt", "sample.index")),
        "`prompts` of `normalize_by_prompt` must be `[sample.prompt for sample in samples]`, "
        "and is `[sample.index for sample in samples]`",
    ),
    "swapped": (
        manager(
            BODY.replace("sample.prompt", "SWAP")
            .replace("sample.attempt", "sample.prompt")
            .replace("SWAP", "sample.attempt")
        ),
        "and is `[sample.attempt for sample in samples]`",
    ),
    "another local": (
        manager("prompts = [0] * len(samples)\n" + BODY.replace("[sample.prompt for sample in samples]", "prompts")),
        "and is `prompts`, which is `[0] * len(samples)`",
    ),
    "left out": (
        manager(BODY.replace("        size=self.args.n_samples,\n", "")),
        "and is left to its default, `None`",
    ),
    "a filter": (
        manager(
            BODY.replace("sample.prompt for sample in samples", "sample.prompt for sample in samples if sample.ok")
        ),
        "must be",
    ),
    "options from elsewhere": (
        manager(BODY.replace("        size=self.args.n_samples,\n", "        **self.options,\n")),
        "what `self.options` passes cannot be told",
    ),
    "a local bound twice": (
        manager(
            "prompts = [s.prompt for s in samples]\nif self.args.flat:\n    prompts = [0 for _ in samples]\n"
            + BODY.replace("[sample.prompt for sample in samples]", "prompts")
        ),
        "must be",
    ),
    "a local changed in place": (
        manager(
            "prompts = [s.prompt for s in samples]\nprompts[0] = 1\n"
            + BODY.replace("[sample.prompt for sample in samples]", "prompts")
        ),
        "must be",
    ),
    "samples shuffled in between": (
        manager(BODY.replace("if self", "random.shuffle(samples)\nif self")),
        "`samples` changes here, after line 6 read it",
    ),
    "samples sorted in between": (
        manager(BODY.replace("if self", "samples.sort(key=str)\nif self")),
        "`samples` changes here",
    ),
    "samples bound anew": (manager("samples = self.others\n" + BODY), "`samples` is bound anew here"),
    "rewards sorted": (manager(BODY.replace("if self", "raw.sort()\nif self")), "puts `rewards` in another order"),
    "rewards given sorted": (
        manager(BODY.replace("        raw,", "        sorted(raw),")),
        "puts `rewards` in another order",
    ),
    "a setting set first": (
        manager("self.args.n_samples = len(samples)\n" + BODY),
        "`self.args.n_samples` is set here",
    ),
    "identities set first": (manager("for sample in samples:\n    sample.prompt = 0\n" + BODY), "is set here"),
    "dropped": (
        manager(BODY.replace("rewards = normal", "normal").replace("raw, rewards", "raw, raw")),
        "`return raw, raw` is without it",
    ),
    "overwritten": (
        manager(BODY.replace("return raw, rewards", "rewards = raw\n    return raw, rewards")),
        "is replaced or changed here by `rewards = raw`",
    ),
    "overwritten in a branch": (
        manager(
            BODY.replace("return raw, rewards", "if len(raw) > 9:\n        rewards = raw\n    return raw, rewards")
        ),
        "is replaced or changed here by `rewards = raw`",
    ),
    "another value returned": (manager(BODY.replace("return raw, rewards", "return raw, raw")), "is without it"),
    "the other part of the pair": (
        manager(BODY.replace("return raw, rewards", "both = (raw, rewards)\n    return raw, both[0]")),
        "is without it",
    ),
    "sorted after": (
        manager(BODY.replace("return raw, rewards", "rewards.sort()\n    return raw, rewards")),
        "changed here by `rewards.sort()`",
    ),
    "returned sorted": (manager(BODY.replace("return raw, rewards", "return raw, sorted(rewards)")), "is without it"),
    "made zero": (
        manager(BODY.replace("return raw, rewards", "return raw, [0 * r for r in rewards]")),
        "is without it",
    ),
    "filled in place": (
        manager(BODY.replace("return raw, rewards", "rewards[:] = raw\n    return raw, rewards")),
        "changed here",
    ),
    "one value set": (
        manager(BODY.replace("return raw, rewards", "rewards[0] = 0\n    return raw, rewards")),
        "changed here",
    ),
    "deleted": (
        manager(BODY.replace("return raw, rewards", "del rewards\n    return raw, raw")),
        "changed here by `del rewards`",
    ),
    "errors swallowed": (
        manager(
            body(
                "raw = [s.reward for s in samples]\ntry:\n    rewards = CALL\n"
                "except ValueError:\n    rewards = raw\nreturn raw, rewards\n"
            )
        ),
        "errors of `normalize_by_prompt` are caught here",
    ),
    "errors suppressed": (
        manager(
            body(
                "raw = rewards = [s.reward for s in samples]\nwith suppress(ValueError):\n"
                "    rewards = CALL\nreturn raw, rewards\n"
            )
        ),
        "errors of `normalize_by_prompt` are suppressed here",
    ),
    "the helper's result is dropped": (
        manager(
            body("raw = [s.reward for s in samples]\ndef centred():\n    return CALL\ncentred()\nreturn raw, raw\n")
        ),
        "is without it",
    ),
    "the helper drops it": (
        manager(
            body("raw = [s.reward for s in samples]\ndef centred():\n    CALL\n    return raw\nreturn raw, centred()\n")
        ),
        "`return raw` is without it",
    ),
    "a second call with other arguments": (
        manager(BODY.replace("return raw, raw", "return raw, normalize_by_prompt(raw, [0] * len(raw), scale=True)")),
        "`prompts` of `normalize_by_prompt` must be",
    ),
    "the reshape is back": (
        manager(
            "import torch\n"
            + BODY.replace(
                "return raw, raw",
                "grid = torch.tensor(raw).reshape(-1, self.args.n_samples_per_prompt)\n"
                "return raw, (grid - grid.mean(-1, keepdim=True)).flatten().tolist()",
            )
        ),
        "GRPO001 is reported here",
    ),
    "the reshape is back, and suppressed": (
        manager(
            "import torch\n"
            + BODY.replace(
                "return raw, raw",
                "grid = torch.tensor(raw).reshape(-1, self.args.n_samples_per_prompt)  # noqa: "
                "GRPO001\nreturn raw, (grid - grid.mean(-1, keepdim=True)).flatten().tolist()",
            )
        ),
        "GRPO001 is reported here",
    ),
    "the function is gone": (
        manager().replace("def post_process", "def postprocess"),
        "has no function `Manager.post_process`, which must call",
    ),
}


@pytest.mark.parametrize("name", FAILS)
def test_a_breach_is_told(name: str, tmp_path: Path) -> None:
    module, message = FAILS[name]

    told = [breach.message for breach in breaches(tmp_path, module)]

    assert told, "nothing was said"
    assert any(message in each for each in told), "\n".join(told)
