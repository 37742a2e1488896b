"""The page: a chat in the browser, and beside it everything that its prompts were made of."""
