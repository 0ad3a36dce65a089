"""Drawing sets from a plan by the thousand with numpy's generator, for simulations; the cloak has its own, secret
source."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from minleak._design.rings import Arrangement

Indices = npt.NDArray[np.int64]


class Sampler:
    """Sets of a plan given secrets, exactly as its channel has them: a uniform place among those that a secret owns."""

    def __init__(self, plan: Arrangement) -> None:
        n, u = len(plan.prior), plan.u
        self.plan = plan
        self.home_of = np.full(n, -1, dtype=np.int64)
        self.home_of[plan.homes.members.ravel()] = np.repeat(np.arange(len(plan.homes.weights)), u)
        # every segment of every ring, those of one member together
        members = np.concatenate(
            [np.asarray(ring.members, dtype=np.int64) for ring in plan.rings] or [self.home_of[:0]]
        )
        starts = np.concatenate([ring.starts for ring in plan.rings] or [self.home_of[:0]])
        lengths = np.concatenate([ring.ends() - ring.starts for ring in plan.rings] or [self.home_of[:0]])
        ring = np.repeat(np.arange(len(plan.rings)), [len(ring.starts) for ring in plan.rings])
        order = np.argsort(members, kind="stable")
        self.starts, self.ring = starts[order], ring[order]
        self.before = np.cumsum(lengths[order]) - lengths[order]
        self.first = np.zeros(n, dtype=np.int64)
        owners, at = np.unique(members[order], return_index=True)
        self.first[owners] = self.before[at]
        # phases of all rings in one line, for the giants: homes first
        sizes = np.concatenate([u * plan.homes.weights, [r.length for r in plan.rings]]).astype(np.int64)
        self.phase_before = np.cumsum(sizes) - sizes

    def draw(self, secrets: Indices, rng: np.random.Generator) -> Indices:
        """For each secret (a giant or on rings) a set, of shape (len(secrets), k), giants first."""
        plan = self.plan
        giant = np.isin(secrets, plan.giants) if plan.n_giants else np.zeros(len(secrets), dtype=bool)
        owned = np.where(giant, plan.tail, plan.u * plan.weights[secrets])
        place = rng.integers(0, owned)
        home = np.where(giant, -1, self.home_of[secrets])
        at_home = np.where(home >= 0, plan.u * plan.homes.weights[home] if len(plan.homes.weights) else 0, 0)
        home = np.where(place < at_home, home, -1)
        ring, phase = np.full(len(secrets), -1), np.zeros(len(secrets), dtype=np.int64)
        loose = (home < 0) & ~giant
        position = self.first[secrets[loose]] + place[loose] - at_home[loose]
        segment = np.searchsorted(self.before, position, side="right") - 1
        ring[loose] = self.ring[segment]
        phase[loose] = self.starts[segment] + position - self.before[segment]
        if giant.any():
            which = np.searchsorted(self.phase_before, place[giant], side="right") - 1
            homes = len(plan.homes.weights)
            home[giant] = np.where(which < homes, which, -1)
            ring[giant] = which - homes
            phase[giant] = place[giant] - self.phase_before[which]
        sets = np.empty((len(secrets), plan.k), dtype=np.int64)
        sets[:, : plan.n_giants] = plan.giants
        sets[home >= 0, plan.n_giants :] = plan.homes.members[home[home >= 0]]
        for i, laid in enumerate(plan.rings):
            here = (ring == i) & (home < 0)
            line = phase[here] % laid.length
            tracks = line[:, None] + laid.length * np.arange(plan.u)
            sets[here, plan.n_giants :] = laid.member(tracks)
        return sets
