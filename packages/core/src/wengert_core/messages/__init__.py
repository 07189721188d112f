"""Words for error messages: values that a caller gave, and who brings an op table."""
