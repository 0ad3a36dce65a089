"""What an attacker gets: under other priors, after several looks, in the true population; and other schemes."""
