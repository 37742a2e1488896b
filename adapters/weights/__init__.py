"""The weights the embedded model needs: what there is, where it comes from, and how it gets onto this machine whole."""
