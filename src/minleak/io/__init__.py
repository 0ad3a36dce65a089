"""Reading priors and channels from files and frames: tables, text, logs."""
