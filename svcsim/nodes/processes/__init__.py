"""The first processes of containers, and their hooks, run by the simulated shell when somebody looks at what they did."""
