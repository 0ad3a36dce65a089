"""Plans over strings that cannot be listed: models of strings, policies, the prior and the plan."""
