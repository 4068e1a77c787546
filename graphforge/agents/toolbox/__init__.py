"""Plain functions that the reference agent's scripts are made of.

Nothing of reading, computing and writing is imported at run time: :mod:`graphforge.agents.bricks` copies the source of
the functions that a script uses into the script, together with the imports they need. So each must be readable on its
own, use only the standard library and the document libraries, and refer to other functions of the toolbox by their bare
name. ``rendering.py`` is a script of its own, by which pages become images in the sandbox.
"""
