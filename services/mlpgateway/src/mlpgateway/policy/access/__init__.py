"""Who the caller is, who pays, and which models are open to them."""
