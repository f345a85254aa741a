"""The two exact tokenizers that the estimate is held against; development only."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # how the package opens its own data files on 3.11 and 3.12
    import bpe_openai

    VOCABULARIES = [bpe_openai.get_encoding(name) for name in ("o200k_base", "cl100k_base")]
