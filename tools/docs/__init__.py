"""The documentation's generated parts: a page for every game, and tables in pages written by hand."""
