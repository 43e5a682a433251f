"""Cards: indices put together, each named once; jokers; one name an outline."""
