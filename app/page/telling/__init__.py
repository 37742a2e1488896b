"""What is kept of a session, as the page reads it: plain values, in the person's language where they are words."""
