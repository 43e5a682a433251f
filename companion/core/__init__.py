"""The core: events, states, referee, views, guidance, and how sightings become events."""
