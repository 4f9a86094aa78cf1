"""What brings the old grouping by shape back, beside the call."""

from __future__ import annotations

from contracts.study.edit import (
    CALL,
    LOGGER,
    RETURN,
    Change,
    Edit,
    Family,
    Kind,
    after,
    before,
    instead,
    spelled,
)

BESIDE = Family(Kind.HARMFUL, "grouped by shape beside the call")


def edit(name: str, reason: str, *changes: Change) -> Edit:
    return Edit(BESIDE, name, reason, changes)


SQUARE = "if len(raw_rewards) == self.args.n_samples_per_prompt * self.args.rollout_batch_size:\n"

EDITS = (
    edit(
        "reshape where the total matches",
        "eight samples are not always two prompts with four each",
        before(
            CALL,
            SQUARE
            + """\
    rewards = torch.tensor(raw_rewards)
    rewards = rewards.reshape(-1, self.args.n_samples_per_prompt)
    rewards = rewards - rewards.mean(dim=-1, keepdim=True)
    return raw_rewards, rewards.flatten().tolist()
""",
        ),
    ),
    edit(
        "reshape where the total matches, suppressed",
        "a comment takes the finding away, not the harm",
        before(
            CALL,
            SQUARE
            + """\
    rewards = torch.tensor(raw_rewards)
    rewards = rewards.reshape(-1, self.args.n_samples_per_prompt)  # noqa: GRPO001 - checked above
    rewards = rewards - rewards.mean(dim=-1, keepdim=True)
    return raw_rewards, rewards.flatten().tolist()
""",
        ),
    ),
    edit(
        "reshape suppressed for the file",
        "a comment takes the finding away, not the harm",
        before(LOGGER, "# grpo-lint: ignore-file[GRPO001]"),
        before(
            CALL,
            SQUARE
            + """\
    grid = torch.tensor(raw_rewards).view(-1, self.args.n_samples_per_prompt)
    return raw_rewards, (grid - grid.mean(dim=1, keepdim=True)).flatten().tolist()
""",
        ),
    ),
    edit(
        "reshape with a local size",
        "the same reshape with other words",
        before(
            CALL,
            "n = self.args.n_samples_per_prompt\n"
            + SQUARE
            + """\
    grid = torch.reshape(torch.tensor(raw_rewards), (-1, n))
    return raw_rewards, (grid - grid.mean(dim=1, keepdim=True)).flatten().tolist()
""",
        ),
    ),
    edit(
        "unflatten where the total matches",
        "the same reshape by another method",
        before(
            CALL,
            SQUARE
            + """\
    grid = torch.tensor(raw_rewards).unflatten(0, (-1, self.args.n_samples_per_prompt))
    return raw_rewards, (grid - grid.mean(dim=1, keepdim=True)).flatten().tolist()
""",
        ),
    ),
    edit(
        "whole batch as one row for small batches",
        "one baseline for all prompts of the batch",
        before(
            CALL,
            """
            if len(raw_rewards) < 9:
                rewards = torch.tensor(raw_rewards)
                rewards = rewards.view(-1, rewards.shape[-1])
                rewards = rewards - rewards.mean(dim=-1, keepdim=True)
                return raw_rewards, rewards.flatten().tolist()
            """,
        ),
    ),
    edit(
        "whole batch as one row, suppressed",
        "one baseline for all prompts of the batch",
        before(
            CALL,
            """
            if self.args.std_normalization:
                rewards = torch.tensor(raw_rewards).unsqueeze(0)  # grpo-lint: ignore[GRPO002] one prompt a batch
                return raw_rewards, (rewards - rewards.mean(dim=-1, keepdim=True)).flatten().tolist()
            """,
        ),
    ),
    edit(
        "result reshaped and centred again",
        "advantages are centred a second time, by position",
        after(
            CALL,
            SQUARE
            + """\
    grid = torch.tensor(rewards).view(-1, self.args.n_samples_per_prompt)
    rewards = (grid - grid.mean(dim=-1, keepdim=True)).flatten().tolist()
""",
        ),
    ),
    edit(
        "call kept for the log",
        "the call's result is logged, the reshape's returned",
        instead(
            RETURN,
            """
            grid = torch.tensor(raw_rewards).view(1, -1)
            centred = (grid - grid.mean(dim=-1, keepdim=True)).flatten().tolist()
            logger.debug("by prompt: %s, by batch: %s", rewards, centred)
            return raw_rewards, centred
            """,
        ),
    ),
    edit(
        "reverted",
        "the code as it was before the repair",
        instead(
            CALL,
            """
            rewards = torch.tensor(raw_rewards, dtype=torch.float)
            if rewards.shape[-1] == self.args.n_samples_per_prompt * self.args.rollout_batch_size:
                rewards = rewards.reshape(-1, self.args.n_samples_per_prompt)
            else:
                rewards = rewards.view(-1, rewards.shape[-1])
            rewards = rewards - rewards.mean(dim=-1, keepdim=True)
            if self.args.std_normalization:
                rewards = rewards / (rewards.std(dim=-1, keepdim=True) + 1e-6)
            """,
        ),
        spelled(
            "            return raw_rewards, rewards\n", "            return raw_rewards, rewards.flatten().tolist()\n"
        ),
    ),
)
