"""Matching: which seed gets which case, chosen for all seeds at once (paper section 3.2).

Serving one seed after the other gives a case to the first who can use it at all, and leaves the one whose work it is
with nothing. The whole is a flow of least cost: seeds to slots (a case under a pattern), slots to the set of files that
the case is about, sets to their topic. Every further use of a set, a topic or a seed costs more than the one before, so
that tasks spread where the fit is equal and crowd where it is not.
"""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# Weights count in millionths: sums of whole numbers are the same in every order.
_UNIT = 1_000_000
_NEVER = 1 << 62


@dataclass(frozen=True)
class Slot:
    """What one seed may have: its ``files`` and its ``topic`` are shared with other slots."""

    files: tuple[str, ...]
    topic: str


@dataclass(frozen=True)
class Costs:
    """What every further use of a set of files, of a topic and of a seed costs more than the one before it."""

    files: float
    topic: float
    seed: float = 0.0


def match(
    worth: Mapping[str, Mapping[str, float]],
    slots: Mapping[str, Slot],
    costs: Costs,
    most: int = 1,
) -> dict[str, tuple[str, ...]]:
    """The slots of every seed that gets one, at most ``most``: no slot twice, and the greatest total worth there is.

    ``worth``: for every seed the slots that it may have, with what they are worth to it. The n-th use of a set of
    files, a topic or a seed costs n - 1 times what :class:`Costs` say; a pair that is worth less stays apart. The same
    for every order of seeds and slots. A seed's slots come in the order of what they are worth to it.

    >>> slots = {"a": Slot(("1",), "x"), "b": Slot(("2",), "x")}
    >>> match({"one": {"a": 1.0, "b": 0.9}, "two": {"a": 0.8}}, slots, Costs(0.1, 0.1))
    {'one': ('b',), 'two': ('a',)}
    >>> match({"one": {"a": 1.0, "b": 0.9}}, slots, Costs(0.1, 0.1), most=2)
    {'one': ('a', 'b')}
    """
    net = _Network()
    order = sorted(slot for slot in slots if any(slot in offers for offers in worth.values()))
    topics = {topic: net.node() for topic in sorted({slots[slot].topic for slot in order})}
    sets = {files: net.node() for files in sorted({(slots[slot].topic, slots[slot].files) for slot in order})}
    places = {slot: net.node() for slot in order}
    seeds = {seed: net.node() for seed in sorted(worth) if worth[seed]}
    for seed, node in seeds.items():
        for before in range(min(most, len(worth[seed]))):
            net.arc(net.source, node, round(before * costs.seed * _UNIT))
        for slot, value in sorted(worth[seed].items()):
            net.arc(node, places[slot], -round(value * _UNIT))
    members = dict.fromkeys(sets, 0)
    for slot in order:
        files = (slots[slot].topic, slots[slot].files)
        net.arc(places[slot], sets[files], 0)
        members[files] += 1
    uses = dict.fromkeys(topics, 0)
    for files, count in members.items():
        for before in range(count):
            net.arc(sets[files], topics[files[0]], round(before * costs.files * _UNIT))
        uses[files[0]] += count
    for topic, count in uses.items():
        for before in range(count):
            net.arc(topics[topic], net.sink, round(before * costs.topic * _UNIT))
    net.fill([net.source, *seeds.values(), *places.values(), *sets.values(), *topics.values()])
    slot_at = {node: slot for slot, node in places.items()}
    taken = {seed: [slot_at[place] for place in net.taken(node)] for seed, node in seeds.items()}
    return {
        seed: tuple(sorted(found, key=lambda slot: (-worth[seed][slot], slot)))
        for seed, found in taken.items()
        if found
    }


def total_worth(
    matched: Mapping[str, Sequence[str]],
    worth: Mapping[str, Mapping[str, float]],
    slots: Mapping[str, Slot],
    costs: Costs,
) -> float:
    """What a matching is worth: the pairs, less what crowding costs."""
    taken = [slot for found in matched.values() for slot in found]
    sets = Counter((slots[slot].topic, slots[slot].files) for slot in taken)
    topics = Counter(slots[slot].topic for slot in taken)
    crowds = (
        (costs.files, sets.values()),
        (costs.topic, topics.values()),
        (costs.seed, (len(found) for found in matched.values())),
    )
    crowding = sum(cost * uses * (uses - 1) / 2 for cost, counts in crowds for uses in counts)
    return sum(worth[seed][slot] for seed, found in matched.items() for slot in found) - crowding


@dataclass
class _Network:
    """Arcs of one unit each, every arc beside its reverse (the number with the last bit flipped)."""

    heads: list[int] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    free: list[bool] = field(default_factory=list)
    leaving: list[list[int]] = field(default_factory=lambda: [[], []])
    source: int = 0
    sink: int = 1

    def node(self) -> int:
        self.leaving.append([])
        return len(self.leaving) - 1

    def arc(self, tail: int, head: int, cost: int) -> None:
        for start, end, price, free in ((tail, head, cost, True), (head, tail, -cost, False)):
            self.leaving[start].append(len(self.heads))
            self.heads.append(end)
            self.costs.append(price)
            self.free.append(free)

    def taken(self, node: int) -> list[int]:
        """The nodes that a node's units flow to."""
        return [self.heads[arc] for arc in self.leaving[node] if not arc & 1 and not self.free[arc]]

    def fill(self, layers: Sequence[int]) -> None:
        """Send units along the cheapest paths while they pay. ``layers``: the nodes, each after those before it."""
        potential = [_NEVER] * len(self.leaving)
        potential[self.source] = 0
        for tail in layers:
            if potential[tail] < _NEVER:
                for arc in self.leaving[tail]:
                    if self.free[arc]:
                        head = self.heads[arc]
                        potential[head] = min(potential[head], potential[tail] + self.costs[arc])
        while self._cheapest(potential):
            pass

    def _cheapest(self, potential: list[int]) -> bool:
        """Send one unit along the cheapest path, where it pays. Dijkstra: potentials keep the costs at 0 or more."""
        heads, costs, free = self.heads, self.costs, self.free
        distance = [_NEVER] * len(potential)
        into = [-1] * len(potential)
        distance[self.source] = 0
        queue = [(0, self.source)]
        while queue:
            far, tail = heapq.heappop(queue)
            if far > distance[tail]:
                continue
            if tail == self.sink:
                break
            base = far + potential[tail]
            for arc in self.leaving[tail]:
                if free[arc]:
                    head = heads[arc]
                    reached = base + costs[arc] - potential[head]
                    if reached < distance[head]:
                        distance[head] = reached
                        into[head] = arc
                        heapq.heappush(queue, (reached, head))
        end = distance[self.sink]
        # What is worth its cost to the last millionth is taken: with a bar of 0 a seed may have any case.
        if end == _NEVER or end + potential[self.sink] > 0:
            return False
        for node, far in enumerate(distance):
            potential[node] += min(far, end)
        node = self.sink
        while node != self.source:
            arc = into[node]
            free[arc], free[arc ^ 1] = False, True
            node = heads[arc ^ 1]
        return True
