"""A small reinforcement-learning codebase: what surrounds the step from rewards to advantages."""
