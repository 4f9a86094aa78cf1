"""Methods with both layouts, guards, comments, conditions; most of what a trainer's own code does around the defect."""

import torch
from samples import Episode


class Processor:
    def __init__(self, args):
        self.args = args

    def both_layouts(self, episodes: list[Episode]):
        raw = [episode.reward for episode in episodes]
        if self.args.wants_scaling and self.args.group_size:
            # normalise
            values = torch.tensor(raw, dtype=torch.float)
            if values.shape[-1] == self.args.group_size * self.args.prompts:
                values = values.reshape(-1, self.args.group_size)  # expect: GRPO001 safe
            else:
                # fan-out

                values = values.view(-1, values.shape[-1])  # expect: GRPO002 safe
            mean = values.mean(dim=-1, keepdim=True)  # one mean for each
            values = values - mean

            if self.args.wants_scaling:
                std = values.std(dim=-1, keepdim=True)
                values = values / (std + 1e-6)

            return raw, values.flatten().tolist()

        return raw, raw

    def a_call_for_each_branch(self, episodes: list[Episode]):
        scores = torch.tensor([e.reward for e in episodes])
        grid = scores.view(-1, self.args.group_size)  # expect: GRPO001 safe
        mean = grid.mean(dim=1).repeat_interleave(self.args.group_size)
        std = grid.std(dim=1).repeat_interleave(self.args.group_size)
        if self.args.mode == "standard":
            advantages = (scores - mean) / (std + 1e-8)
        elif self.args.mode == "centred":
            advantages = scores - mean
        else:
            raise ValueError(self.args.mode)
        return advantages

    def only_if_wanted(self, rewards: torch.Tensor, uids):
        if self.args.wants_scaling:
            grid = rewards.view(-1, self.args.group_size)  # expect: GRPO001 unsafe
            rewards = (grid - grid.mean(dim=1, keepdim=True)).view(-1)
        return uids, rewards

    def under_no_grad(self, episodes: list[Episode], log):
        rewards = torch.tensor([e.reward for e in episodes])
        with torch.no_grad():
            log("normalising")
            baseline = rewards.view(-1, self.args.group_size).mean(1)  # expect: GRPO001 safe
            baseline = baseline.repeat_interleave(self.args.group_size)
            advantages = rewards - baseline
        log(advantages)
        return advantages

    def in_a_loop(self, batches):
        for episodes in batches:
            rewards = torch.tensor([e.reward for e in episodes])
            group_ids = torch.tensor([e.group_index for e in episodes])
            grid = rewards.view(-1, self.args.group_size)  # expect: GRPO001 safe
            advantages = (grid - grid.mean(1, keepdim=True)).flatten()
            yield group_ids, advantages
