"""Programs of hypothesmith with inserted descriptors."""

from __future__ import annotations

import warnings
from random import Random

from .insertions import with_descriptors

_EXAMPLES = 8  # most of these are nearly empty


def smithed(rng: Random) -> bytes:
    """Returns several programs in a row."""
    import hypothesmith
    from hypothesis import HealthCheck, Phase, given, seed, settings

    found: list[str] = []
    strategy = hypothesmith.from_grammar() if rng.random() < 0.5 else hypothesmith.from_node()
    once = settings(
        database=None,
        deadline=None,
        max_examples=_EXAMPLES,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        @seed(rng.randrange(2**32))
        @once
        @given(strategy)
        def collect(text: str) -> None:
            found.append(text)

        collect()
    texts = [text for text in found if text.strip()] or found
    return with_descriptors("\n".join(texts), rng).encode(errors="surrogatepass")
