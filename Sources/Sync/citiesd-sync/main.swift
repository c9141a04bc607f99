// Composes and runs.
