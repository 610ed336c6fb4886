"""A slow, plain implementation of the rules, with which the engine is compared."""
