"""Plans at work: keys, cloaks, decoy words."""
