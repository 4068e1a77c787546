"""Reproducible files from the sandbox's commands: ``sitecustomize.py`` is copied into each rollout's folder."""
