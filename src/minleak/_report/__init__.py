"""The report: what it says, its charts, and the page that holds them."""
