"""Batches of tensors, as dictionaries whose columns a step fills in."""

from __future__ import annotations

from contracts.shapes.shape import Shape, harmful, harmless, missed

from grpo_lint.contracts import CallSite, Result

GROUPING = '''\
import torch


def outcome_advantage(scores, index, scale=True):
    """Scores less the mean of their prompt."""
    advantages = scores.clone()
    for group in set(index):
        rows = torch.tensor([each == group for each in index], dtype=torch.bool)
        advantages[rows] = scores[rows] - scores[rows].mean()
    return advantages * (2.0 if scale else 1.0)
'''
STEP = """\
import logging

import numpy as np
import torch

from lab.grouping import outcome_advantage

logger = logging.getLogger(__name__)


def policy_loss(log_probs, advantages):
    return -(log_probs * advantages.unsqueeze(-1)).sum()


class Actor:
    def __init__(self, scale):
        self.scale = scale
        self.metrics = {}

    def compute(self, batch):
        scores = batch["token_level_rewards"].sum(dim=-1)
        advantages = outcome_advantage(scores, index=batch["uid"], scale=self.scale)
        batch["advantages"] = advantages
        return batch

    def loss(self, batch):
        scores = batch["token_level_rewards"].sum(dim=-1)
        advantages = outcome_advantage(scores, index=batch["uid"], scale=self.scale)
        loss = policy_loss(batch["log_probs"], advantages)
        return loss
"""
DRIVE = """\
import torch

from lab.step import Actor

UIDS = [["a", "b", "a", "b", "c"], ["x", "x", "x", "y"], ["z"]]


def outcomes():
    for uids in UIDS:
        for scale in (True, False):
            for name in ("compute", "loss"):
                generator = torch.Generator().manual_seed(len(uids))
                batch = {
                    "uid": list(uids),
                    "token_level_rewards": torch.rand(len(uids), 3, generator=generator),
                    "log_probs": torch.rand(len(uids), 3, generator=generator),
                }
                try:
                    found = getattr(Actor(scale), name)(batch)
                    found = found["advantages"] if isinstance(found, dict) else found
                    yield [round(each, 4) for each in torch.as_tensor(found).double().flatten().tolist()]
                except Exception as error:
                    yield type(error).__name__
"""
FILE = "lab/step.py"
ARGUMENTS = (("index", 'batch["uid"]'), ("scale", "self.scale"))
COLUMNS = Shape(
    "tensor columns",
    {
        "pyproject.toml": "[project]\nname = 'lab'\n",
        "drive.py": DRIVE,
        "lab/__init__.py": "",
        "lab/grouping.py": GROUPING,
        FILE: STEP,
    },
    CallSite(FILE, "Actor.compute", "lab.grouping.outcome_advantage", ARGUMENTS, Result.RETURNED),
)
LOSS = COLUMNS.with_site(
    "tensor loss", CallSite(FILE, "Actor.loss", "lab.grouping.outcome_advantage", ARGUMENTS, Result.USED)
)
STORED = '        batch["advantages"] = advantages\n'
SPENT = '        loss = policy_loss(batch["log_probs"], advantages)\n'
CALL = 'outcome_advantage(scores, index=batch["uid"], scale=self.scale)'
COMPUTE = f"        advantages = {CALL}\n{STORED}"
COUNTED = f"        advantages = {CALL}\n{SPENT}"


def stored(text: str) -> tuple[str, str]:
    return STORED, lines(text)


def spent(text: str) -> tuple[str, str]:
    return SPENT, lines(text)


def lines(text: str) -> str:
    return "".join(f"        {line}\n" for line in text.replace("CALL", CALL).splitlines())


KEPT = 'batch["advantages"] = advantages'
LOST = 'loss = policy_loss(batch["log_probs"], advantages)'

EDITS = (
    harmless(COLUMNS, "stored at once", (COMPUTE, lines('batch["advantages"] = CALL'))),
    harmless(COLUMNS, "stored by update", stored('batch.update({"advantages": advantages})')),
    harmless(COLUMNS, "stored twice", stored('batch["advantages"] = batch["returns"] = advantages')),
    harmless(
        COLUMNS,
        "stored under a constant key",
        ("logger =", 'KEY = "advantages"\nlogger ='),
        stored("batch[KEY] = advantages"),
    ),
    harmless(
        COLUMNS, "detached and moved", stored('batch["advantages"] = advantages.detach().to("cpu", non_blocking=True)')
    ),
    harmless(COLUMNS, "as float", stored('batch["advantages"] = advantages.to(torch.float32).contiguous()')),
    harmless(
        COLUMNS, "through NumPy", stored('batch["advantages"] = torch.from_numpy(np.asarray(advantages.numpy()))')
    ),
    harmless(COLUMNS, "joined of one", stored('batch["advantages"] = torch.cat([advantages])')),
    harmless(COLUMNS, "joined by NumPy", stored('batch["advantages"] = np.concatenate([advantages.numpy()])')),
    harmless(COLUMNS, "stored in a copy", stored('batch = {**batch, "advantages": advantages}')),
    harmless(
        COLUMNS,
        "index in a name",
        (COMPUTE, lines('uids = batch["uid"]\nadvantages = outcome_advantage(scores, uids, self.scale)\n' + KEPT)),
    ),
    harmless(COLUMNS, "another column first", (COMPUTE, lines('batch["scores"] = scores\nadvantages = CALL\n' + KEPT))),
    harmless(
        COLUMNS,
        "metrics",
        stored(
            KEPT + '\nself.metrics["mean"] = advantages.mean().item()\nself.metrics.update(max=advantages.max().item())'
        ),
    ),
    harmless(
        COLUMNS,
        "copy clamped",
        stored(
            KEPT
            + '\nclamped = advantages.clone()\nclamped.clamp_(min=0)\nself.metrics["positive"] = clamped.sum().item()'
        ),
    ),
    harmless(
        COLUMNS, "without gradients", (COMPUTE, lines("with torch.no_grad():\n    advantages = CALL\n    " + KEPT))
    ),
    harmful(COLUMNS, "clamped in place", stored("advantages.clamp_(min=0)\n" + KEPT)),
    harmful(COLUMNS, "clamped in place by a chain", stored('batch["advantages"] = advantages.clamp_(min=0)')),
    harmful(COLUMNS, "clamped into itself", stored("torch.clamp(advantages, min=0, out=advantages)\n" + KEPT)),
    harmful(COLUMNS, "copied over", stored("advantages.copy_(scores)\n" + KEPT)),
    harmful(COLUMNS, "copied over afterwards", stored(KEPT + "\nadvantages.copy_(scores)")),
    harmful(COLUMNS, "zeroed by an initialiser", stored("torch.nn.init.zeros_(advantages)\n" + KEPT)),
    harmful(COLUMNS, "data replaced", stored("advantages.data = scores\n" + KEPT)),
    harmful(COLUMNS, "masked in place", stored("advantages[advantages < 0] = 0\n" + KEPT)),
    harmful(COLUMNS, "centred again", stored("advantages -= scores.mean()\n" + KEPT)),
    harmful(COLUMNS, "multiplied into itself", stored("advantages *= 0.5\n" + KEPT)),
    harmful(COLUMNS, "half negated by a slice", stored("advantages[::2] *= -1\n" + KEPT)),
    harmful(COLUMNS, "made whole numbers", stored('batch["advantages"] = advantages.to(torch.int64)')),
    harmful(COLUMNS, "made whole numbers by type", stored('batch["advantages"] = advantages.type(torch.int64)')),
    harmful(COLUMNS, "made whole numbers by NumPy", stored('batch["advantages"] = advantages.numpy().astype("int64")')),
    harmful(
        COLUMNS,
        "made a tensor of whole numbers",
        stored('batch["advantages"] = torch.tensor(advantages.tolist(), dtype=torch.long)'),
    ),
    harmful(COLUMNS, "flipped", stored('batch["advantages"] = advantages.flip(0)')),
    harmful(COLUMNS, "rolled", stored('batch["advantages"] = torch.roll(advantages, 1)')),
    harmful(COLUMNS, "first only", stored('batch["advantages"] = advantages[:1].expand(len(scores))')),
    harmful(COLUMNS, "NumPy view filled", stored(KEPT + "\nadvantages.numpy()[:] = 0")),
    harmful(COLUMNS, "view of it filled", stored(KEPT + "\nflat = advantages.view(-1)\nflat.zero_()")),
    harmful(COLUMNS, "column filled", stored(KEPT + '\nbatch["advantages"].zero_()')),
    harmful(COLUMNS, "column multiplied", stored(KEPT + '\nbatch["advantages"] *= 0.5')),
    harmful(
        COLUMNS, "column overwritten where scaled", stored(KEPT + '\nif self.scale:\n    batch["advantages"] = scores')
    ),
    harmful(COLUMNS, "NumPy writes into it", stored("np.copyto(advantages.numpy(), scores.numpy())\n" + KEPT)),
    harmful(
        COLUMNS, "ids overwritten", (COMPUTE, lines('batch["uid"] = [0] * len(scores)\nadvantages = CALL\n' + KEPT))
    ),
    harmful(
        COLUMNS,
        "ids overwritten by update",
        (COMPUTE, lines("batch.update(uid=[0] * len(scores))\nadvantages = CALL\n" + KEPT)),
    ),
    harmful(
        COLUMNS, "ids sorted in place", (COMPUTE, lines('batch["uid"].sort(reverse=True)\nadvantages = CALL\n' + KEPT))
    ),
    harmful(COLUMNS, "another batch stored into", stored('batch = dict(batch)\nbatch["advantages"] = scores')),
    harmful(
        COLUMNS,
        "another batch returned",
        stored('copy = dict(batch)\ncopy["advantages"] = advantages\nbatch["advantages"] = scores'),
    ),
    harmless(LOSS, "with a mask", spent("advantages = advantages * (scores > -1).float()\n" + LOST)),
    harmless(
        LOSS,
        "by a method",
        (
            "    def loss(",
            "    def _policy(self, log_probs, advantages):\n"
            "        return policy_loss(log_probs, advantages)\n\n    def loss(",
        ),
        spent('loss = self._policy(batch["log_probs"], advantages)'),
    ),
    harmless(LOSS, "written out", spent('loss = -(batch["log_probs"] * advantages.unsqueeze(-1)).sum()')),
    harmless(LOSS, "by keyword", spent('loss = policy_loss(log_probs=batch["log_probs"], advantages=advantages)')),
    harmless(
        LOSS,
        "through a dict",
        spent('inputs = {"log_probs": batch["log_probs"], "advantages": advantages}\nloss = policy_loss(**inputs)'),
    ),
    harmless(
        LOSS,
        "in halves",
        spent(
            "loss = sum(policy_loss(probs, part) for probs, "
            'part in zip(batch["log_probs"].split(2), advantages.split(2)))'
        ),
    ),
    harmful(
        LOSS, "only logged", spent('logger.debug("%s", advantages)\nloss = policy_loss(batch["log_probs"], scores)')
    ),
    harmful(
        LOSS,
        "only asserted",
        spent('assert advantages.shape == scores.shape\nloss = policy_loss(batch["log_probs"], scores)'),
    ),
    missed(
        LOSS,
        "only in the metrics",
        spent('self.metrics["mean"] = advantages.mean().item()\nloss = policy_loss(batch["log_probs"], scores)'),
    ),
    harmful(LOSS, "overwritten before it is used", spent("advantages = scores\n" + LOST)),
    harmful(LOSS, "only its shape used", spent('loss = policy_loss(batch["log_probs"], torch.zeros_like(advantages))')),
    harmful(LOSS, "only its length used", spent('loss = policy_loss(batch["log_probs"], scores[: len(advantages)])')),
    harmful(LOSS, "used where scaled only", spent("if not self.scale:\n    advantages = scores\n" + LOST)),
    harmful(LOSS, "deleted", spent('del advantages\nloss = policy_loss(batch["log_probs"], scores)')),
)
