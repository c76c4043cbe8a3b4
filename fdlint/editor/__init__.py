"""The language server: findings in an editor as one types. It needs the extra ``fdlint[lsp]``."""
