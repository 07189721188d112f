from wengert_core.random import Generator as Generator
from wengert_core.random import default_generator as default_generator
from wengert_core.random import fork_rng as fork_rng
from wengert_core.random import get_rng_state as get_rng_state
from wengert_core.random import initial_seed as initial_seed
from wengert_core.random import manual_seed as manual_seed
from wengert_core.random import seed as seed
from wengert_core.random import set_rng_state as set_rng_state

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
