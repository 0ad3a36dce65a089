"""Plans that live: tomorrow's plan with today's sets, and what an attacker learns who saw both."""
