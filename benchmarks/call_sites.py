"""A codebase with a hundred contracts of call sites, against the same files without any."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from commands import command
from comparison import Comparison, Target
from rounds import measure

# Files of about 1,500 lines, as slime's with its one call site; and with five of them.
CLASSES = 16
LAYOUTS = {"one in each of 100 files": (100, 1), "five in each of 20 files": (20, 5)}
SUBJECT = "grpo-lint . with 100 contracts"
BASELINE = "grpo-lint . without"
TARGETS = (Target(BASELINE, 1.2),)

NORMALISER = '''\
def normalize_rewards_by_group(rewards, group_indices, rollout_ids=None, *, normalize_std, fallback_group_size=None):
    """Rewards less the mean of their group."""
    return list(rewards)
'''

# What the other rules have to look at too: rewards, reshapes and statistics.
TRAINER = '''\
class Trainer{number}:
    """Samples in, advantages out."""

    def __init__(self, args, logger):
        self.args = args
        self.logger = logger

    def collect(self, samples):
        kept = []
        for sample in samples:
            if sample.aborted and not self.args.keep_aborted:
                self.logger.debug("left out: %s", sample.index)
                continue
            kept.append(sample)
        return kept

    def post_process_rewards(self, samples):
        raw_rewards = [sample.get_reward_value(self.args) for sample in samples]
        if not self.args.rewards_normalization:
            return raw_rewards, raw_rewards
        group_indices = [sample.group_index for sample in samples]
        rewards = normalize_rewards_by_group(
            raw_rewards,
            group_indices,
            [sample.rollout_id for sample in samples],
            normalize_std=self.args.grpo_std_normalization,
            fallback_group_size=self.args.n_samples_per_prompt,
        )
        return raw_rewards, rewards

    def losses(self, logits, advantages, mask):
        log_probs = torch.log_softmax(logits.view(-1, logits.shape[-1]), dim=-1)
        weights = mask.reshape(-1, self.args.micro_batch_size)
        scale = weights.sum(dim=-1, keepdim=True).clamp(min=1.0)
        weighted = -(log_probs.gather(-1, mask.long().view(-1, 1)).view_as(weights) * weights) / scale
        clipped = torch.clamp(advantages, -self.args.clip, self.args.clip)
        return (weighted.mean(dim=-1) * clipped).sum()

    def batches(self, samples, size):
        order = sorted(range(len(samples)), key=lambda i: len(samples[i].tokens))
        for start in range(0, len(order), size):
            chosen = [samples[i] for i in order[start : start + size]]
            longest = max(len(sample.tokens) for sample in chosen)
            tokens = torch.zeros(len(chosen), longest, dtype=torch.long)
            mask = torch.zeros(len(chosen), longest)
            for row, sample in enumerate(chosen):
                tokens[row, : len(sample.tokens)] = torch.tensor(sample.tokens)
                mask[row, : len(sample.loss_mask)] = torch.tensor(sample.loss_mask)
            yield {{"tokens": tokens, "mask": mask, "indices": [sample.index for sample in chosen]}}

    def save(self, folder, step):
        path = folder / f"step_{{step:07d}}"
        path.mkdir(parents=True, exist_ok=True)
        state = {{"step": step, "settings": vars(self.args), "optimizer": self.optimizer.state_dict()}}
        for name, part in state.items():
            target = path / f"{{name}}.pt"
            if target.exists() and not self.args.overwrite:
                raise FileExistsError(f"{{target}} is there already: pass --overwrite to write over it")
            torch.save(part, target)
        for old in sorted(folder.glob("step_*"))[: -self.args.keep]:
            self.logger.info("removed: %s", old)
            shutil.rmtree(old)

    def evaluate(self, data, step):
        solved, lengths = [], []
        with torch.no_grad():
            for batch in self.batches(data, self.args.micro_batch_size):
                output = self.model.generate(batch["tokens"], max_new_tokens=self.args.max_tokens)
                for index, row in zip(batch["indices"], output, strict=True):
                    answer = self.tokenizer.decode(row, skip_special_tokens=True)
                    expected = data[index].label
                    solved.append(float(answer.strip() == expected.strip()))
                    lengths.append(int((row != self.tokenizer.pad_token_id).sum()))
        count = max(1, len(solved))
        metrics = {{"eval/solved": sum(solved) / count, "eval/length": sum(lengths) / count}}
        for name, value in metrics.items():
            self.logger.info("%s at step %d: %.4f", name, step, value)
            if self.writer is not None:
                self.writer.add_scalar(name, value, step)
        if metrics["eval/solved"] > self.best:
            self.best = metrics["eval/solved"]
            self.save(self.args.best, step)
        return metrics

    def report(self, raw_rewards, rewards):
        by_prompt = torch.tensor(raw_rewards).view(-1, self.args.n_samples_per_prompt)
        self.logger.info("solved: %s", (by_prompt.mean(dim=-1) > 0).float().mean())
        self.logger.info("mean advantage: %s", sum(rewards) / max(1, len(rewards)))


'''

ENTRY = """\
[[call-sites]]
file = "lab/trainers_{file}.py"
function = "Trainer{number}.post_process_rewards"
calls = "lab.grouping.normalize_rewards_by_group"
arguments = {{ group_indices = "[sample.group_index for sample in samples]", \
rollout_ids = "[sample.rollout_id for sample in samples]", fallback_group_size = "self.args.n_samples_per_prompt" }}
result = "returned"
absent = ["GRPO001", "GRPO002"]
"""


def write_project(root: Path, files: int, contracts: int) -> None:
    """Write a package of trainers, each with a call site, and so many contracts for each of its files."""
    package = root / "lab"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "grouping.py").write_text(NORMALISER, encoding="utf-8")
    head = "import shutil\n\nimport torch\nfrom lab.grouping import normalize_rewards_by_group\n\n\n"
    body = "".join(TRAINER.format(number=number) for number in range(CLASSES))
    for file in range(files):
        (package / f"trainers_{file}.py").write_text(head + body, encoding="utf-8")
    entries = [ENTRY.format(file=file, number=number) for file in range(files) for number in range(contracts)]
    (root / "grpo-lint.toml").write_text("\n".join(entries), encoding="utf-8")


def compare_contracts(programs: Path, work: Path, rounds: int) -> Iterator[Comparison]:
    for layout, (files, contracts) in LAYOUTS.items():
        candidates = []
        for name, number in ((SUBJECT, contracts), (BASELINE, 0)):
            folder = work / f"{files}-files-{number}"
            write_project(folder, files, number)
            candidates.append(command([str(programs / "grpo-lint"), "."], folder, name))
        yield Comparison(f"Contracts of call sites: {layout}", measure(candidates, rounds), TARGETS)
