"""Rewards and advantages in code without language models: each size here is the length of another axis."""

import numpy as np
import torch


def dueling_head(advantage, value, n_actions):
    """An action axis, centred to make the advantages of a state identifiable."""
    advantage = advantage.view(-1, n_actions)
    return value + advantage - advantage.mean(1, keepdim=True)


def dueling_outputs(self, x, value):
    """Likewise, with the size in an attribute."""
    advantage = self.advantage(x).view(-1, self.num_outputs)
    return value + (advantage - advantage.mean(1, keepdim=True))


def dueling_space(self, x, value):
    """An attribute `n` of something that is no rollout."""
    advantage = self.advantage(x).view(-1, self.action_space.n)
    return value + (advantage - advantage.mean(1, keepdim=True))


def dueling_row(self, x, value):
    """One state's advantages as a row."""
    advantages = self.advantage(x).view(1, -1)
    return value + (advantages - advantages.mean(dim=1, keepdim=True))


def whitening(advantages):
    """All values of a rollout, of whatever axes, brought to one scale."""
    row = advantages.reshape(1, -1)
    return ((row - row.mean(-1, keepdim=True)) / (row.std(-1, keepdim=True) + 1e-8)).reshape(advantages.shape)


def reranker(scores, num_candidates):
    """Candidates of a query in a ranking loss."""
    scores = scores.view(-1, num_candidates)
    return scores - scores.mean(1, keepdim=True)


def pruning(importance_scores, group_size):
    """Weights that are pruned in groups."""
    grid = importance_scores.reshape(-1, group_size)
    return (grid - grid.mean(1, keepdim=True)) / (grid.std(1, keepdim=True) + 1e-6)


def dropout_samples(scores, n_samples):
    """Stochastic forward passes."""
    grid = scores.reshape(n_samples, -1)
    return grid - grid.mean(axis=0, keepdims=True)


def adversarial(adv, n):
    """Adversarial images."""
    grid = adv.view(-1, n)
    return grid / grid.std(1, keepdim=True)


def steps_in_one_word(rewards, nsteps):
    """Time, in one word."""
    grid = rewards.view(-1, nsteps)
    return grid - grid.mean(1, keepdim=True)


def environments_in_one_word(rewards, nenvs):
    """Environments, in one word."""
    grid = rewards.view(-1, nenvs)
    return grid - grid.mean(1, keepdim=True)


def within_a_trajectory(rewards, samples_per_trajectory):
    """Steps of one trajectory."""
    grid = rewards.view(-1, samples_per_trajectory)
    return grid - grid.mean(1, keepdim=True)


def bandit(rewards, n):
    """A short name, in code of another field."""
    grid = rewards.view(-1, n)
    return grid - grid.mean(1, keepdim=True)


def atari(rewards):
    """A literal, likewise."""
    grid = np.reshape(rewards, (-1, 84))
    return grid - np.mean(grid, axis=1, keepdims=True)


def returns_by_asset(rets, k):
    """Finance."""
    grid = rets.reshape(-1, k)
    return torch.as_tensor((grid - grid.mean(1, keepdims=True)) / grid.std(1, keepdims=True))
