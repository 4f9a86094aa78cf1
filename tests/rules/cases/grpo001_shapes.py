"""The shape of the groups in the forms that public code shows: counts of prompts, tuples, stars, transposes."""

import torch
from samples import Episode


def unflatten_function(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = torch.unflatten(rewards, 0, (-1, cfg.group_size))  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def unflatten_by_keywords(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.unflatten(dim=0, sizes=[len(episodes) // cfg.group_size, cfg.group_size])  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def reshape_function(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = torch.reshape(rewards, (-1, cfg.group_size))  # expect: GRPO001 safe
    return torch.reshape(grid - torch.mean(grid, dim=1, keepdim=True), (-1,))


def shape_in_a_variable(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    shape = (-1, cfg.group_size)
    grid = rewards.view(shape)  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def list_in_a_variable(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    shape = [-1, cfg.group_size]
    grid = rewards.view(*shape)  # expect: GRPO001 none: is a list, which may
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def one_of_two_shapes(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    shape = (-1, cfg.group_size) if cfg.prompts else (1, -1)
    grid = rewards.view(*shape)  # expect: GRPO001 safe GRPO002 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def leading_axes_of_a_vector(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.reshape(*rewards.size()[:-1], -1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(dim=-1, keepdim=True)).reshape(*rewards.size())


def leading_axes_of_a_grid(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    pairs = rewards.view(-1, cfg.n_samples)
    grid = rewards.reshape(*pairs.shape[:-1], -1, cfg.group_size)  # expect: GRPO001 none: `pairs` is used
    return (grid - grid.mean(dim=-1, keepdim=True)).reshape(*rewards.shape)


def leading_axes_added(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.reshape(rewards.shape[:-1] + (-1, cfg.group_size))  # expect: GRPO001 safe
    return (grid - grid.mean(dim=-1, keepdim=True)).reshape(rewards.shape)


def leading_axes_of_who_knows_what(rewards: torch.Tensor, n_samples, prompt_uids):
    grid = rewards.reshape(*rewards.size()[:-1], -1, n_samples)  # expect: GRPO001 none: a layout other
    return prompt_uids, (grid - grid.mean(dim=-1, keepdim=True)).reshape(*rewards.size())


def counted_prompts(rewards: torch.Tensor, num_prompts, prompt_uids):
    grid = rewards.view(num_prompts, -1)  # expect: GRPO001 none: does not name the group size
    return prompt_uids, (grid - grid.mean(dim=1, keepdim=True)).flatten()


def counted_questions(cfg, episodes: list[Episode], questions=()):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.reshape(len(questions), -1)  # expect: GRPO001 none: does not name the group size
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def counted_prompts_of_a_batch(batch, prompt_uids):
    rewards = batch["rewards"]
    grid = rewards.reshape(len(batch["prompts"]), -1)  # expect: GRPO001 none: does not name the group size
    return prompt_uids, (grid - grid.mean(dim=1, keepdim=True)).flatten()


def divided_by_the_prompts(rewards: torch.Tensor, prompts, prompt_uids):
    size = len(rewards) // len(prompts)
    grid = rewards.reshape(len(prompts), size)  # expect: GRPO001 none: does not name the group size
    return prompt_uids, (grid - grid.mean(dim=1, keepdim=True)).flatten()


def counted_prompts_and_an_own_name(cfg, episodes: list[Episode], num_prompts=4):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(num_prompts, cfg.fan)  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def prompts_as_columns(rewards: torch.Tensor, num_prompts, prompt_uids):
    grid = rewards.view(-1, num_prompts)  # expect: GRPO001 none: does not name the group size
    return prompt_uids, (grid - grid.mean(dim=0, keepdim=True)).flatten()


def three_axes_by_prompts(rewards: torch.Tensor, num_prompts, group_size, prompt_uids):
    grid = rewards.view(num_prompts, group_size, -1)  # expect: GRPO001 none: not understood
    scaled = (grid - grid.mean(dim=1, keepdim=True)) / (grid.std(dim=1, keepdim=True) + 1e-8)
    return prompt_uids, scaled.view(num_prompts * group_size, -1)


def transposed(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size).T  # expect: GRPO001 none: not understood
    return (grid - grid.mean(dim=0, keepdim=True)).T.flatten()


def transposed_by_a_method(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.group_size).transpose(0, 1)  # expect: GRPO001 none: not understood
    return (grid - grid.mean(dim=0, keepdim=True)).t().flatten()


def size_of_keyword_arguments(rewards: torch.Tensor, prompt_uids, **kwargs):
    grid = rewards.view(-1, kwargs["group_size"])  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(dim=1, keepdim=True)).flatten()


def size_taken_out_of_keyword_arguments(rewards: torch.Tensor, prompt_uids, **kwargs):
    group_size = kwargs.pop("group_size", 8)
    grid = rewards.view(-1, group_size)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(dim=1, keepdim=True)).flatten()


def size_for_training_or_evaluation(self, episodes: list[Episode], mode="train"):
    if mode == "train":
        n = self.num_generations
    else:
        n = self.num_generations_eval
    rewards = torch.tensor([e.reward for e in episodes])
    mean = rewards.view(-1, n).mean(dim=1).repeat_interleave(n)  # expect: GRPO001 safe
    return rewards - mean


def size_looked_up(self, episodes: list[Episode], mode="train"):
    rewards = torch.tensor([e.reward for e in episodes])
    n = {"train": self.num_generations, "eval": self.num_generations_eval}[mode]
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def size_of_a_helper(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(_shape(rewards, cfg.group_size))  # expect: GRPO001 none: is that of a helper
    return (grid - grid.mean(dim=1, keepdim=True)).flatten()


def _shape(values, n):
    return len(values) // n, n


def summed_over_reward_functions(rewards_per_func: torch.Tensor, weights, num_generations, prompt_uids):
    rewards = (rewards_per_func * weights).sum(dim=1)
    grid = rewards.view(-1, num_generations)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(dim=1, keepdim=True)).flatten()


def summed_over_tokens(token_level_rewards: torch.Tensor, num_generations, prompt_uids):
    scores = token_level_rewards.sum(dim=-1)
    grid = scores.view(-1, num_generations)  # expect: GRPO001 unsafe
    return prompt_uids, (grid - grid.mean(dim=1, keepdim=True)).flatten()
