"""The message of a collective that failed: which one, why, and where each other rank is."""

from __future__ import annotations

from wengert_distributed.errors import DistBackendError
from wengert_distributed.interface.process_group import POINT_TO_POINT, Call, Peer, ProcessGroup

NEW_LINE = "\n"
SHOWN = 16  # ranks that a message lists


def failure(group: ProcessGroup, call: Call, reason: str | BaseException) -> DistBackendError:
    """Return the error of a collective that failed on this rank.

    reason: a sentence (it has not ended within the timeout, ...), or what the transport raised. The message names the
    collective, its number, dtype and shapes, and for each other rank where it is: in another collective, behind, ended,
    or silent. The group's other ranks are asked for a second at most.
    """
    because = str(reason) if isinstance(reason, (str, DistBackendError)) else f"{type(reason).__name__}: {reason}"
    try:
        peers = group.peers()
    except Exception as error:  # the message of the failure itself must not be lost
        peers, because = [], f"{because} (asking the other ranks failed: {error})"
    ended = [str(peer.rank) for peer in peers if peer.state in ("raised", "left") or peer.detail]
    if ended and isinstance(reason, str):  # the wait was given up before its time
        because = f"rank {', '.join(ended[:SHOWN])} has ended"
    lines = [f"{describe(call)} failed on rank {group.rank} of {group.size} (backend {group.backend}): {because}"]
    notable = [peer for peer in peers if is_notable(peer, call)]
    lines += [f"  rank {peer.rank}: {position(peer, call)}" for peer in (notable or peers)[:SHOWN]]
    hidden = len(peers) - min(len(notable or peers), SHOWN)
    if hidden:
        lines.append(f"  {hidden} other ranks are in the same collective or not shown")
    if notable and not ended:
        lines.append("All ranks must call the same collectives in the same order, with the same dtypes and shapes.")
    return DistBackendError("\n".join(lines))


def describe(call: Call) -> str:
    """Return a call's name, number and facts."""
    number = "" if call.number == POINT_TO_POINT else f", collective {call.number}"
    return f"{call.name}({call.text}){number}"


def is_notable(peer: Peer, call: Call) -> bool:
    """Return whether a rank is elsewhere than in the same collective."""
    same = peer.call is not None and (peer.call.number, peer.call.name, peer.call.text) == (
        call.number, call.name, call.text,
    )  # fmt: skip
    return not (same and peer.state == "running")


def position(peer: Peer, call: Call) -> str:
    """Return a sentence on where a rank is."""
    last = "it has begun no collective" if peer.call is None else f"its last collective is {describe(peer.call)}"
    if peer.state == "raised":
        return f"raised {peer.detail.partition(NEW_LINE)[0]}; {last}"
    if peer.state == "left":
        return f"has left the group or ended its program; {last}"
    if peer.state == "silent":
        return f"{peer.detail or 'gives no sign: it has died, or hangs outside of collectives'}; {last}"
    if peer.call is None:
        return "has begun no collective yet: it computes, or hangs"
    if peer.call.number == POINT_TO_POINT:
        return f"waits in {describe(peer.call)}"
    if call.number == POINT_TO_POINT:
        return f"{'has ended' if peer.state == 'finished' else 'waits in'} {describe(peer.call)}, its last collective"
    if peer.call.number < call.number:
        where = "its last one, now ended, is" if peer.state == "finished" else "it is still in"
        return f"has not begun this collective: {where} {describe(peer.call)}"
    if peer.call.number > call.number:
        return f"is ahead, in {describe(peer.call)}"
    if (peer.call.name, peer.call.text) != (call.name, call.text):
        return f"calls another collective, or other shapes: {describe(peer.call)}"
    return "has ended this collective" if peer.state == "finished" else "waits in this collective"
