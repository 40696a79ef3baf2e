"""Lives by stages: what users say that becomes of pods, nodes and other objects, in place of what the simulated nodes do by themselves."""
