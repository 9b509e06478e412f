"""What the tests of a cluster have together: to start it takes seconds of a processor."""

from collections.abc import Iterator

import pytest
import ray

from cluster.ray_nodes import Node, cluster


@pytest.fixture(scope="package")
def head() -> Iterator[Node]:
    """The head of a Ray cluster, with one processor."""
    with cluster() as head:
        yield head
        ray.shutdown()
