"""Groups of JAX and MLX values, which the repair does not take."""

import jax
import jax.numpy as jnp
import mlx.core as mx


def jax_repeated(rewards, num_generations, prompt_uids):
    grid = jnp.reshape(rewards, (-1, num_generations))  # expect: GRPO001 none: JAX
    mean = jnp.repeat(jnp.mean(grid, axis=1), num_generations)
    return prompt_uids, rewards - mean


def jax_columns(rewards, num_generations, prompt_uids):
    grid = jnp.reshape(rewards, (len(prompt_uids) // num_generations, num_generations))  # expect: GRPO001 none: JAX
    scaled = (grid - jnp.mean(grid, axis=-1)[:, None]) / (jnp.std(grid, axis=-1)[:, None] + 1e-6)
    return prompt_uids, scaled.ravel()


def jax_row(rewards, prompt_uids):
    row = jnp.expand_dims(rewards, 0)  # expect: GRPO002 none: JAX
    return prompt_uids, (row - jnp.mean(row, axis=1, keepdims=True)).ravel()


def jax_mapped(rewards, group_size, prompt_uids):
    grid = rewards.reshape(-1, group_size)  # expect: GRPO001 none: not understood
    return prompt_uids, jax.vmap(lambda row: row - row.mean())(grid).ravel()


def _whitened(values):
    return (values - jnp.mean(values)) / (jnp.std(values) + 1e-6)


def jax_mapped_helper(rewards, group_size):
    return jax.vmap(_whitened)(rewards.reshape(-1, group_size)).ravel()  # expect: GRPO001 none: no identity


def jax_mapped_log(rewards, group_size, log):
    """A metric of every group."""
    log(jax.vmap(lambda row: row.mean())(rewards.reshape(-1, group_size)))
    return rewards


def jax_mapped_batch(rewards_by_prompt):
    """Groups that are there already."""
    return jax.vmap(_whitened)(rewards_by_prompt)


def mlx_functions(rewards, group_size, prompt_uids):
    grid = mx.reshape(rewards, (-1, group_size))  # expect: GRPO001 none: MLX
    return prompt_uids, mx.flatten(grid - mx.mean(grid, axis=1, keepdims=True))


def mlx_root(rewards, group_size, prompt_uids):
    grid = mx.array(rewards).reshape(-1, group_size)  # expect: GRPO001 none: MLX
    spread = mx.sqrt(mx.var(grid, axis=1, keepdims=True))
    return prompt_uids, ((grid - mx.mean(grid, axis=1, keepdims=True)) / spread).flatten()


def jax_environments(rewards, num_envs):
    """Environments."""
    grid = jnp.reshape(rewards, (-1, num_envs))
    return grid - jnp.mean(grid, axis=1, keepdims=True)


def mlx_quantisation(weights, group_size):
    """Weights."""
    grid = mx.reshape(weights, (-1, group_size))
    return (grid - mx.mean(grid, axis=1, keepdims=True)) / mx.std(grid, axis=1, keepdims=True)


def jax_batch(rewards):
    """The whole batch."""
    return (rewards - jnp.mean(rewards)) / (jnp.std(rewards) + 1e-6)


def mlx_over_the_prompts(rewards, group_size):
    """The other axis."""
    grid = mx.reshape(rewards, (-1, group_size))
    return grid - mx.mean(grid, axis=0, keepdims=True)


def jax_logged(rewards, group_size, log):
    """A metric."""
    log(jnp.std(jnp.reshape(rewards, (-1, group_size)), axis=1).mean())
    return rewards
