"""The API of OpenAI: chat completions, embeddings, images, speech, transcriptions, models."""
