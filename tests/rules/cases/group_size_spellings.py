"""The group size under every name that code gives it: locals, nested configuration, dict reads, getattr, parameters."""

import torch
from samples import Episode


def local_alias(args, episodes: list[Episode]):
    k = args.n_samples_per_prompt
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, k)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def nested_configuration(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.rollout.sampling.num_generations)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def dictionary(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg["rollout"]["group_size"])  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def dictionary_get(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    size = cfg.get("group_size", 8)
    grid = rewards.view(-1, size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def get_attribute(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, getattr(cfg, "rollouts_per_prompt", 8))  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def parameter_with_default(episodes: list[Episode], group_size: int = 8):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def switched_for_evaluation(self, episodes: list[Episode], mode):
    rewards = torch.tensor([e.reward for e in episodes])
    n = self.num_generations if mode == "train" else self.num_generations_eval
    grid = rewards.view(-1, n)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def literal(episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, 8)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def under_a_name_of_its_own(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    grid = rewards.view(-1, cfg.fan)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def both_dimensions(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    prompts = rewards.shape[0] // cfg.group_size
    grid = rewards.view(prompts, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten().tolist()


def counted_groups_of_an_unknown_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    mean = rewards.view(-1, cfg.fan).mean(1).repeat_interleave(cfg.fan)  # expect: GRPO001 safe
    std = rewards.view(len(rewards) // cfg.fan, cfg.fan).std(1).repeat_interleave(cfg.fan)  # expect: GRPO001 safe
    return (rewards - mean) / (std + 1e-6)
