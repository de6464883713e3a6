"""Plans carried out: models and lines, data, losses, training."""
