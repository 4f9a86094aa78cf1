"""From a recognised normalisation to replacement text and imports."""
