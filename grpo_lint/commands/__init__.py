"""The words that may follow `grpo-lint`: one module each, with `run(words)`, imported when it is used."""
