"""What everything stands on: priors, channels, entropies, plans, certificates and draws. It knows no other room."""
