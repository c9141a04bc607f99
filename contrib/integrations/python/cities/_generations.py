"""Errors that bulk work raises instead of mixing two generations, and the check across nodes."""

from __future__ import annotations

from typing import Any, Mapping


class Incomplete(Exception):
    """Bulk work that could not be finished: `done` rows are answered, and `result` holds their answers.

    The cause (`__cause__`) says why. Continue with the rows from `done` on.
    """

    def __init__(self, message: str, done: int = 0, result: Any = None):
        super().__init__(message)
        self.done: int = done
        self.result: Any = result


class GenerationChanged(Incomplete):
    """The server's data is not that of the first row, or not the expected one.

    `result` holds the answers of the first `done` rows, all from the generation `before`; nothing of `after` is in
    them. Ask again from the first row for answers from one generation.
    """

    def __init__(self, message: str, done: int = 0, result: Any = None, before: str = "", after: str = ""):
        super().__init__(message, done, result)
        self.before, self.after = before, after


class GenerationsDiffer(Exception):
    """Nodes would answer from different data; `nodes` maps each generation to its nodes."""

    def __init__(self, message: str, nodes: dict[str | None, list[Any]] | None = None):
        super().__init__(message)
        self.nodes = nodes or {}


def same_generation(generations: Mapping[Any, str | None]) -> str:
    """The generation that all nodes have; raises GenerationsDiffer if they differ or a node has no data.

    `generations` maps the name of each node to what `Client.generation()` returned there. Pass the result to `locate`
    and `match` on every node: a node whose data changes later then refuses, too.
    """
    nodes: dict[str | None, list[Any]] = {}
    for node, generation in generations.items():
        nodes.setdefault(generation, []).append(node)
    if not nodes:
        raise ValueError("no node was asked")
    (first, *others) = nodes
    if first is None or others:
        parts = (f"{generation or 'no data'} on {', '.join(map(str, names))}" for generation, names in nodes.items())
        raise GenerationsDiffer(f"the nodes answer differently: {'; '.join(parts)}", nodes)
    return first
