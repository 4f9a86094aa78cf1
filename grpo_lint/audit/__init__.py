"""`grpo-lint audit`: what grouping by shape cost in rollouts that were already dumped.

One way through: paths → files of a run (`discovery`) → `Dump` records (`formats`) → three normalisations of each
(`replay`) → `DumpAudit` (`comparison`) → `RunAudit`, merged in any order (`totals`) → text, JSON or a page.
"""
