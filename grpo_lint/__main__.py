"""`python -m grpo_lint`."""

from grpo_lint.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
