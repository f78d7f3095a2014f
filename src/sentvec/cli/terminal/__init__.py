"""What commands share: messages and displays, output files, the opening of models, options."""
