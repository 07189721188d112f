"""A seeded fuzzer: hostile calls of every public function and method, each batch in a process of its own.

tools/fuzz.py runs it. ``targets`` names what is called, ``words`` and ``sources`` write the calls as text, ``values``
and ``objects`` are the names in that text, ``worker`` runs one batch, ``outcomes`` and ``invariants`` judge a call,
``batches`` watches the processes, ``report`` counts.
"""
