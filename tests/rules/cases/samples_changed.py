"""Samples that something may change, or hold, between the reading of their rewards and the call of a repair."""

import random
from contextlib import nullcontext

import torch
from samples import Episode


def relabel(episode):
    episode.group_index = 0
    return episode


def keep(episodes):
    return episodes


def flush():
    pass


def identities(data, self, store):
    return [[e.group_index for e in seen] for seen in (store["episodes"],)], [
        *(e.group_index for e in data.episodes),
        *(e.group_index for e in self.buffer.episodes),
        *(e.group_index for e in data.buffer.episodes),
    ]


def alias_annotated(cfg, episodes: list[Episode]):
    same: list[Episode] = episodes
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_two_targets(cfg, episodes: list[Episode]):
    same = other = episodes
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_walrus(cfg, episodes: list[Episode]):
    print(same := episodes)
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_tuple_target(cfg, episodes: list[Episode]):
    same, other = episodes, 1
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_either(cfg, episodes: list[Episode]):
    same = episodes or []
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_conditional(cfg, episodes: list[Episode]):
    same = episodes if cfg.whole else []
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_two_steps(cfg, episodes: list[Episode]):
    other = episodes
    same = other
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_result_of_a_call(cfg, episodes: list[Episode]):
    same = keep(episodes)
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_loop_over_a_list(cfg, episodes: list[Episode]):
    for same in [episodes]:
        pass
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_matched(cfg, episodes: list[Episode]):
    match episodes:
        case same:
            pass
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_in_a_list(cfg, episodes: list[Episode]):
    box = []
    box.append(episodes)
    same = box[0]
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_in_a_context(cfg, episodes: list[Episode]):
    with nullcontext(episodes) as same:
        pass
    rewards = torch.tensor([e.reward for e in episodes])
    same.reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_with_an_item_set(cfg, episodes: list[Episode]):
    same = other = episodes
    rewards = torch.tensor([e.reward for e in episodes])
    same[0], same[1] = same[1], same[0]
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_extended_in_place(cfg, episodes: list[Episode]):
    same = other = episodes
    rewards = torch.tensor([e.reward for e in episodes])
    same += []
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_shuffled(cfg, episodes: list[Episode]):
    same = keep(episodes)
    rewards = torch.tensor([e.reward for e in episodes])
    random.shuffle(same)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def alias_in_a_dict(cfg, episodes: list[Episode]):
    store = {"episodes": episodes}
    rewards = torch.tensor([e.reward for e in episodes])
    store["episodes"].reverse()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `store`, which may hold
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def bound_method(cfg, episodes: list[Episode]):
    turn = episodes.reverse
    rewards = torch.tensor([e.reward for e in episodes])
    turn()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `turn`, which may hold
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def inner_function(cfg, episodes: list[Episode]):
    def turn():
        episodes.reverse()

    rewards = torch.tensor([e.reward for e in episodes])
    turn()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `turn`, which may hold
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def inner_lambda(cfg, episodes: list[Episode]):
    turn = lambda: episodes.reverse()  # noqa: E731
    rewards = torch.tensor([e.reward for e in episodes])
    turn()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `turn`, which may hold
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def handed_on_before(cfg, episodes: list[Episode]):
    keep(episodes)
    rewards = torch.tensor([e.reward for e in episodes])
    flush()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is handed on on line
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def method_as_a_function(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    list.reverse(episodes)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def method_by_its_name(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    getattr(episodes, "reverse")()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_function(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for episode in episodes:
        relabel(episode)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: , which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_method(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for i, episode in enumerate(episodes):
        episode.renumber(i)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: , which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_vars(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for episode in episodes:
        vars(episode)["group_index"] = 0
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: , which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_dict(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for episode in episodes:
        episode.__dict__["group_index"] = 0
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: , which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_object(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for episode in episodes:
        object.__setattr__(episode, "group_index", 0)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: , which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_comprehension(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    print([relabel(episode) for episode in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: , which may hold or come from `episodes`,
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_map(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    print(list(map(relabel, episodes)))
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def identity_changed_by_position(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for i in range(len(episodes)):
        relabel(episodes[i])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_changed_by_method(cfg, data):
    rewards = torch.tensor([e.reward for e in data.episodes])
    data.shuffle()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `data.episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_changed_by_class(cfg, data):
    rewards = torch.tensor([e.reward for e in data.episodes])
    Buffer.shuffle(data)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `data.episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_changed_by_function(cfg, data):
    rewards = torch.tensor([e.reward for e in data.episodes])
    random.shuffle(data)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `data.episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_changed_by_reset(cfg, data):
    rewards = torch.tensor([e.reward for e in data.episodes])
    data.reset()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `data.episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_changed_by_attribute(cfg, data):
    rewards = torch.tensor([e.reward for e in data.episodes])
    data.buffer.clear()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `data.episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_of_a_local(cfg, data):
    episodes = data.episodes
    print([e.group_index for e in episodes])
    rewards = torch.tensor([e.reward for e in episodes])
    data.shuffle()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `data`, which may hold
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_by_another_name(cfg, data):
    same = data
    rewards = torch.tensor([e.reward for e in data.episodes])
    same.shuffle()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `same`, which may hold
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_of_its_own(cfg, self):
    rewards = torch.tensor([e.reward for e in self.buffer.episodes])
    self.buffer.shuffle()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `self.buffer.episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def owner_handed_on(cfg, self):
    rewards = torch.tensor([e.reward for e in self.buffer.episodes])
    keep(self)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 none: `self.buffer.episodes` is changed
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def changed_while_read(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(episode.reward)
        relabel(episode)
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 none: `episode`, which may hold
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def counted(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    assert len(episodes) > 1, f"{episodes}"
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def looked_at(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    if not episodes:
        return None
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def read_again(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for episode in episodes:
        print(episode.reward)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def annotated_with_advantages(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    for episode, reward in zip(episodes, rewards):
        episode.weight = reward
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def gathered(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    keep([e.group_index for e in episodes])
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def sorted_apart(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    print(sorted(e.reward for e in episodes))
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def beside_other_calls(cfg, episodes: list[Episode]):
    rewards = torch.tensor([e.reward for e in episodes])
    flush()
    keep(cfg.group_size)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def under_another_name(cfg, episodes: list[Episode]):
    same = episodes
    rewards = torch.tensor([e.reward for e in episodes])
    print(same[0].reward, len(same))
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def left_to_a_hook(cfg, episodes: list[Episode]):
    if cfg.get("hook") is None:
        return cfg.hook(cfg, episodes)
    rewards = torch.tensor([e.reward for e in episodes])
    flush()
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def read_off_an_owner(cfg, data):
    rewards = torch.tensor([e.reward for e in data.episodes])
    print(len(data.episodes), data.step)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def read_off_its_own(cfg, data):
    rewards = torch.tensor([e.reward for e in data.buffer.episodes])
    print(data.step)
    if data.mode == 1:
        print(1)
    grid = rewards.view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()


def scored_while_read(cfg, episodes: list[Episode]):
    rewards = []
    for episode in episodes:
        rewards.append(keep(episode).reward if episode.weight > 2 else episode.reward)
    grid = torch.tensor(rewards).view(-1, cfg.group_size)  # expect: GRPO001 safe
    return (grid - grid.mean(-1, keepdim=True)).flatten()
