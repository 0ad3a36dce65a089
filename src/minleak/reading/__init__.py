"""Reading: priors, channels, pairs and places from the files that they come in."""
