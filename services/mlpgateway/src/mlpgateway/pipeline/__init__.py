"""The stages of a call, in order. Start reading here."""
