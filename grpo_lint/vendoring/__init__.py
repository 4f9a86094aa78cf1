"""The reference in a codebase's own tree: written there, renewed, compared, and imported in place of the package's."""
