"""Pricing: the cheapest among the optimal plans, as a linear programme over sets that is solved without listing them.

All plans made of valid rings leak the same, so what a set costs can be minimised for nothing (see
docs/explanation/layouts.md):

    minimise  sum over M of v_M c(M) / u   over v >= 0 with  sum over M containing i of v_M = u w_i  for every i,

M running over the sets of u members, with the star cost c(M) = min over z of sum over i in M of d(z,i).

`distances` has d; `apart` who must not share a set; `peeling` a first plan in integers; `generation` solves the
linear programme; `rounding` makes its solution a plan in integers again; `regions` improves plans of many secrets piece
by piece; `blocks` splits space for layouts between near and stable; `chaining` lays sets on a ring.
"""
