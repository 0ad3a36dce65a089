"""What people do instead of an optimal plan, measured beside it; and attackers who look more than once."""
