"""The same program, written otherwise: findings must not change."""
