"""The models: settings, training and what is special to each; `encoder` is what all share."""
