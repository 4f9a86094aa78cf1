"""Groups by patterns of einops."""

import einops
import torch
from einops import rearrange, reduce, repeat
from samples import Episode


def there_and_back(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(p g) -> p g", g=cfg.group_size)  # expect: GRPO001 safe
    grid = grid - reduce(grid, "p g -> p 1", "mean")
    return rearrange(grid, "p g -> (p g)")


def mean_as_a_column(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(p g) -> p g", g=cfg.group_size)  # expect: GRPO001 safe
    mean = rearrange(grid.mean(dim=1), "p -> p ()")
    return (grid - mean).flatten()


def mean_in_every_place(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(p g) -> p g", g=cfg.group_size)  # expect: GRPO001 safe
    mean = repeat(reduce(grid, "p g -> p", "mean"), "p -> p g", g=cfg.group_size)
    return (grid - mean).flatten()


def mean_of_each_sample(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(p g) -> p g", g=cfg.group_size)  # expect: GRPO001 safe
    return rewards - repeat(grid.mean(dim=1), "p -> (p g)", g=cfg.group_size)


def grouped_and_reduced_at_once(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    mean = reduce(rewards, "(p g) -> p", "mean", g=cfg.group_size)  # expect: GRPO001 none: in one step
    return rewards - repeat(mean, "p -> (p g)", g=cfg.group_size)


def reduced_beside_the_groups(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    mean = einops.reduce(rewards, "(p g) -> p 1", reduction="mean", g=cfg.group_size)  # expect: GRPO001 none: one step
    grid = einops.rearrange(rewards, "(p g) -> p g", g=cfg.group_size)
    return (grid - mean).flatten()


def prompts_counted(cfg, episodes: list[Episode], prompts=()):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(p g) -> p g", p=len(prompts))  # expect: GRPO001 none: does not name the group size
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def tiled(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(g p) -> p g", g=cfg.group_size)  # expect: GRPO001 none: a layout other
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def another_order_on_the_way_back(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(p g) -> p g", g=cfg.group_size)  # expect: GRPO001 none: not understood
    grid = grid - grid.mean(dim=1, keepdim=True)
    return rearrange(grid, "p g -> (g p)")


def columns(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rearrange(rewards, "(p g) -> p g", g=cfg.group_size)  # expect: GRPO001 none: a layout other
    grid = rearrange(grid, "p g -> g p")
    return (grid - grid.mean(dim=0, keepdim=True)).flatten()


def axes_behind(rewards_per_func: torch.Tensor, group_size, prompt_uids):
    grid = rearrange(rewards_per_func, "(p g) f -> p g f", g=group_size)  # expect: GRPO001 none: not understood
    grid = grid - reduce(grid, "p g f -> p 1 f", "mean")
    return prompt_uids, rearrange(grid, "p g f -> (p g) f")


def one_row(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    row = rearrange(rewards, "n -> 1 n")  # expect: GRPO002 safe
    return (row - row.mean(dim=1, keepdim=True)).flatten()


def mean_over_the_prompts(rewards, group_size):
    """What is left is one number for each place in the group."""
    mean = reduce(rewards, "(p g) -> g", "mean", g=group_size)
    return rearrange(rewards, "(p g) -> p g", g=group_size) - mean


def best_of_each_group(rewards, group_size):
    """No mean."""
    return reduce(rewards, "(p g) -> p", "max", g=group_size)


def mean_of_each_group(rewards, group_size, log):
    """A mean that never meets the rewards again."""
    log(reduce(rewards, "(p g) -> p", "mean", g=group_size))
    return rewards


def mean_of_everything(rewards, group_size):
    """A batch mean."""
    grid = rearrange(rewards, "(p g) -> p g", g=group_size)
    return grid - reduce(grid, "p g -> 1 1", "mean")


def attention_heads(scores, num_heads):
    """Heads."""
    grid = rearrange(scores, "b (h d) -> b h d", h=num_heads)
    return grid - reduce(grid, "b h d -> b h 1", "mean")


def heads_in_front(scores, h):
    """Heads in front."""
    grid = rearrange(scores, "(b h) n -> b h n", h=h)
    return grid - reduce(grid, "b h n -> b 1 n", "mean")


def environments(rewards, num_envs):
    """Environments."""
    grid = rearrange(rewards, "(t e) -> t e", e=num_envs)
    return grid - reduce(grid, "t e -> t 1", "mean")


def channels(rewards):
    """An axis that was there."""
    grid = rearrange(rewards, "b n -> b n 1")
    return grid - grid.mean(dim=1, keepdim=True)


def other_values(rewards, values, group_size):
    """A critic's baseline."""
    return rearrange(rewards, "(p g) -> p g", g=group_size) - rearrange(values, "(p g) -> p g", g=group_size)


def of_all_processes(rewards, accelerator):
    """Another `reduce`."""
    total = accelerator.reduce(rewards, reduction="mean")
    return rewards - total


def folded(rewards, add):
    """And another one."""
    from functools import reduce as fold

    return rewards - fold(add, rewards) / len(rewards)


def row_for_broadcasting(advantages, mask):
    """A row that is not centred."""
    return rearrange(advantages, "n -> 1 n") * mask
