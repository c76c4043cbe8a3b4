"""Reports: findings in, text out. Each format has its own module. A format knows findings, not the analysis."""
