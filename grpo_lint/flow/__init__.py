"""Data flow over one function and its module.

Knows tensor libraries and the field's vocabulary, knows no rule: `module.analyse` walks each function once, and the
facts that it gives answer what expressions are (a reward vector, a grouping, a group statistic, centred or scaled
rewards) and who reads them later.
"""
