"""Names an index: its glyph and its suit."""
