"""Process groups: which ranks there are, and how a program finds them."""
