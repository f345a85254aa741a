"""Router, specialists and answer on any OpenAI-compatible endpoint."""
