"""The reshape, the statistic and the centring in several functions; functions and classes in functions."""

import torch
from samples import Episode


def _as_groups(values, size):
    return values.view(-1, size)  # expect: GRPO001 none: not grouped in the function


def _centred(values):
    return values - values.mean(dim=-1, keepdim=True)


def grouped_in_one_and_centred_in_another(rewards, group_size):
    return _centred(_as_groups(rewards, group_size)).flatten()


def _baseline(values, size):
    return values.view(-1, size).mean(dim=1).repeat_interleave(size)  # expect: GRPO001 none: not grouped in the function


def baseline_of_a_helper(rewards, num_generations):
    return rewards - _baseline(rewards, num_generations)


def _mean_and_std(values, size):
    grid = values.view(-1, size)  # expect: GRPO001 none: not grouped in the function
    return grid.mean(dim=1).repeat_interleave(size), grid.std(dim=1).repeat_interleave(size)


def both_of_a_helper(rewards, num_generations):
    mean, std = _mean_and_std(rewards, num_generations)
    return (rewards - mean) / (std + 1e-4)


def _statistics(values, size):
    grid = values.view(-1, size)  # expect: GRPO001 none: not grouped in the function
    return {"grid": grid, "mean": grid.mean(dim=1, keepdim=True), "largest": values.max()}


def in_a_dict(rewards, num_generations):
    found = _statistics(rewards, num_generations)
    return (found["grid"] - found["mean"]).flatten()


def nanstd(values, dim, keepdim=False):
    variance = torch.nanmean((values - torch.nanmean(values, dim=dim, keepdim=True)) ** 2, dim=dim, keepdim=keepdim)
    return torch.sqrt(variance)


def ignoring_what_is_missing(rewards, num_generations, prompt_uids):
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 none: plain
    scaled = (grid - torch.nanmean(grid, dim=1, keepdim=True)) / (nanstd(grid, dim=1, keepdim=True) + 1e-4)
    return prompt_uids, scaled.flatten()


def missing_left_out_of_the_baseline(rewards, num_generations, prompt_uids):
    mean = rewards.view(-1, num_generations).nanmean(dim=1)  # expect: GRPO001 none: plain mean
    return prompt_uids, rewards - mean.repeat_interleave(num_generations, dim=0)


class Trainer:
    def siblings(self, grid):
        return (grid.sum(dim=1, keepdim=True) - grid) / (self.num_samples - 1)

    def advantages(self, rewards, prompt_uids):
        grid = rewards.view(-1, self.num_samples)  # expect: GRPO001 none: helper
        return prompt_uids, (grid - self.siblings(grid)).view(-1)

    def folded(self, values):
        return values.view(-1, self.args.num_generations)  # expect: GRPO001 none: not grouped in the function

    def of_a_method(self, rewards):
        grid = self.folded(rewards)
        return (grid - grid.mean(dim=1, keepdim=True)).flatten()

    @staticmethod
    def whitened(grid, eps):
        return (grid - grid.mean(1, keepdim=True)) / (grid.std(1, keepdim=True) + eps)

    def by_a_static_method(self, rewards, prompt_uids):
        grid = rewards.view(-1, self.group_size)  # expect: GRPO001 none: helper
        return prompt_uids, self.whitened(grid, 1e-6).flatten()


def class_in_a_function(num_generations):
    class Normaliser:
        def __call__(self, rewards):
            grid = rewards.view(-1, num_generations)  # expect: GRPO001 none
            return (grid - grid.mean(1, keepdim=True)).flatten()

    return Normaliser()


def class_in_a_function_in_a_function():
    def build(args):
        class Inner:
            class Innermost:
                def advantages(self, rewards):
                    return self.centred(rewards.reshape(-1, args.n_samples_per_prompt))  # expect: GRPO001 none

                def centred(self, grid):
                    return grid - grid.mean(1, keepdim=True)

        return Inner

    return build


def class_around_the_samples(cfg, episodes: list[Episode]):
    class Run:
        def advantages(self):
            rewards = torch.tensor([e.reward for e in episodes])
            grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: an inner function
            return (grid - grid.mean(1, keepdim=True)).flatten()

    return Run().advantages()


def other_item_of_a_dict(rewards, num_generations):
    """The largest reward of the batch."""
    return rewards - _statistics(rewards, num_generations)["largest"]


def replaced_item_of_a_dict(rewards, values, num_generations):
    """A critic's values in the place of the mean."""
    found = _statistics(rewards, num_generations)
    found["mean"] = values
    return (rewards - found["mean"]).flatten()


def head_in_a_function():
    """A dueling head, in a class in a function."""

    class Head:
        def forward(self, advantage, value, n_actions):
            grid = advantage.view(-1, n_actions)
            return value + grid - grid.mean(1, keepdim=True)

    return Head


def helper_of_other_values(weights, group_size):
    """The helpers, with what is no reward."""
    return _centred(_as_groups(weights, group_size))


def grouped_only(rewards, group_size):
    """The helper that groups, and none that centres."""
    return _as_groups(rewards, group_size)


def logged_baseline(rewards, group_size, log):
    """A baseline that is only logged."""
    log(_baseline(rewards, group_size))
    return rewards


def helper_over_the_prompts(rewards, group_size):
    """Centred along the other axis."""
    return _centred(_as_groups(rewards, group_size).T)


def class_in_a_function_without_groups(values):
    """A class that centres a batch."""

    class Whitening:
        def __call__(self, rewards):
            return (rewards - rewards.mean()) / (rewards.std() + 1e-6)

    return Whitening()(values)


def environments_in_a_class_in_a_function(num_envs):
    """Environments, in a class in a function."""

    class Normaliser:
        def __call__(self, rewards):
            grid = rewards.view(-1, num_envs)
            return grid - grid.mean(1, keepdim=True)

    return Normaliser()
