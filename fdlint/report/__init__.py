"""Reports: findings in, text out. Each output is alone in its module and knows findings, never how they were found."""
