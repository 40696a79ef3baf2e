"""Go templates, as ``-o go-template`` and the stages of objects take them: text with ``{{actions}}`` in it.

From text to tokens (`tokens`), from tokens to nodes (`parser`), from nodes and an object to text (`running`), with a table of functions.
"""
