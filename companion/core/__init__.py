"""The core: events, states, the referee and its views, guidance, and the road from an eye."""
