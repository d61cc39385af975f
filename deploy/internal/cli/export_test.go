package cli

// Examples are those of the helps, for tests that walk over all commands.
var Examples = examples
