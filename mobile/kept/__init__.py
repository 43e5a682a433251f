"""What is kept of a match: one page with the result, the cards and the story, without a window."""
