"""Events other than usage: written in groups, sent by the relay."""
