"""A slow, plain reading of the rules, against which the engine is compared."""
