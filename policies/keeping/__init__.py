"""What may not be lost of what was said, and whether a prompt still holds it: compaction and its proof ask here."""
