"""Shapes with the spelling of groups and another meaning, in code about prompts and completions."""

import torch


def tokens_of_each_prompt(token_rewards, prompts):
    """Each prompt has many tokens."""
    grid = token_rewards.reshape(len(prompts), -1)
    return grid - grid.mean(1, keepdim=True)


def steps_of_each_prompt(step_rewards, prompts):
    """Or steps."""
    grid = step_rewards.reshape(len(prompts), -1)
    return grid - grid.mean(1, keepdim=True)


def advantages_of_each_prompt(advantages, prompts):
    """Advantages are often those of tokens."""
    grid = advantages.view(len(prompts), -1)
    return grid - grid.mean(1, keepdim=True)


def functions_of_each_prompt(rewards_per_func, prompts):
    """Or reward functions."""
    grid = rewards_per_func.reshape(len(prompts), -1)
    return grid - grid.mean(1, keepdim=True)


def lengths_of_each_prompt(completion_lengths, num_prompts):
    """No rewards."""
    grid = completion_lengths.view(num_prompts, -1)
    return grid - grid.mean(1, keepdim=True)


def logits_of_each_prompt(logits, prompts):
    """No rewards either."""
    grid = logits.reshape(len(prompts), -1)
    return grid - grid.mean(1, keepdim=True)


def scores_of_each_prompt(scores, num_prompts):
    """Scores may be anything."""
    grid = scores.view(num_prompts, -1)
    return grid - grid.mean(1, keepdim=True)


def over_the_prompts(rewards, num_prompts):
    """Along the prompts."""
    grid = rewards.view(num_prompts, -1)
    return grid - grid.mean(0, keepdim=True)


def prompts_as_columns(rewards, num_prompts):
    """Likewise."""
    grid = rewards.view(-1, num_prompts)
    return grid - grid.mean(1, keepdim=True)


def other_axis_of_a_transpose(rewards, group_size):
    """Likewise, turned over."""
    grid = rewards.view(-1, group_size).T
    return grid - grid.mean(1, keepdim=True)


def best_of_each_prompt(rewards, num_prompts):
    """No baseline."""
    grid = rewards.view(num_prompts, -1)
    return grid.argmax(1), grid.max(1).values


def solved_share(rewards, prompts):
    """A metric."""
    return (rewards.reshape(len(prompts), -1).sum(1) > 0).float().mean()


def batch_in_front(rewards, batch_size):
    """What a batch is made of is not said."""
    grid = rewards.view(batch_size, -1)
    return grid - grid.mean(1, keepdim=True)


def environments_in_front(rewards, num_envs):
    """Environments over time."""
    grid = rewards.view(num_envs, -1)
    return grid - grid.mean(1, keepdim=True)


def other_axis_by_a_number(rewards, num_envs=8):
    """A number does not make an axis of environments one of samples."""
    num_envs = 8
    grid = rewards.view(-1, num_envs)
    return grid - grid.mean(1, keepdim=True)


def pairs_by_a_shape(rewards):
    """Two in a row."""
    shape = (-1, 2)
    grid = rewards.view(shape)
    return grid - grid.mean(1, keepdim=True)


def critic_of_the_same_shape(rewards, values, group_size):
    """The baseline is a critic's."""
    shape = (-1, group_size)
    return rewards.view(shape) - values.view(shape)


def weights_by_a_shape(weights, group_size):
    """Quantisation."""
    shape = (-1, group_size)
    grid = weights.reshape(shape)
    return (grid - grid.mean(1, keepdim=True)) / grid.std(1, keepdim=True)


def experts(router_scores, n_group):
    """Expert groups of a router."""
    grid = router_scores.unflatten(-1, (n_group, -1))
    return grid - grid.mean(-1, keepdim=True)


def dueling(advantage, value, n_actions):
    """An action axis."""
    grid = advantage.unflatten(-1, (n_actions, -1))
    return value + grid - grid.mean(1, keepdim=True)


def leading_axes_of_tokens(token_losses, n):
    """Losses."""
    grid = token_losses.reshape(*token_losses.shape[:-1], -1, n)
    return grid - grid.mean(-1, keepdim=True)


def leading_axes_and_another_statistic(rewards, n_samples):
    """Which axis the first one is cannot be told."""
    grid = rewards.reshape(*rewards.shape[:-1], -1, n_samples)
    return grid - grid.mean(dim=1, keepdim=True)


def shape_that_changed(rewards, group_size):
    """Nobody knows what the list has become."""
    shape = [-1, group_size]
    shape.append(3)
    grid = rewards.view(*shape)
    return grid - grid.mean(1, keepdim=True)


def shape_with_another_item(rewards, num_envs):
    """What was a group's size is another number now."""
    shape = [-1, 8]
    shape[1] = num_envs
    grid = rewards.view(*shape)
    return grid - grid.mean(1, keepdim=True)


def whitening_of_the_batch(advantages):
    """One scale for the batch."""
    return (advantages - advantages.mean()) / (advantages.std() + 1e-8)


def whitening_of_every_row(advantages, mask):
    """Over each row's own tokens."""
    mean = (advantages * mask).sum(-1, keepdim=True) / mask.sum(-1, keepdim=True)
    return advantages - mean


def advantages_of_generalised_estimation(rewards, values, horizon):
    """Advantages over time."""
    grid = (rewards - values).reshape(*rewards.shape[:-1], -1, horizon)
    return grid - grid.mean(-1, keepdim=True)


def row_for_a_product(advantages, weights):
    """A row that is not centred."""
    return torch.reshape(advantages, (1, -1)) @ weights
