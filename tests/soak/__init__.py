"""Long programs that try to break a cluster: killed, cut off from power, damaged, fed nonsense.

What they do in seconds stands among the tests; here they run as long as one likes. Each is a module with ``main(count, seed)``, which gives
a line of figures and raises where something was lost, silent or stuck. See ``docs/soak.md``.
"""
