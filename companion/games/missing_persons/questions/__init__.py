"""Questions as players type and tap them, and what their answers say of a card."""
