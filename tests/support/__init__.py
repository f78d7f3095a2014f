"""What several tests share: corpora with known answers, models, files, and how programs are run."""
