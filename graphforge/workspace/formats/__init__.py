"""One module a file format: reads it once for the parser, and piece by piece for the rereader."""
