"""From bytes to ids: tokenizers, corpora, vocabulary, the encoded corpus."""
