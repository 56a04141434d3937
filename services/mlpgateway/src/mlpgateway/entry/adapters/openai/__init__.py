"""OpenAI's API: chat completions, embeddings, images, speech, transcriptions, models."""
