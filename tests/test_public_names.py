"""The public names: a promise, all there, all explained, and light to import."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import minleak as ml

ROOT = Path(__file__).parents[1]

# Names are a promise: one that goes, goes from this list, and into the changelog.
PROMISED = {
    "minleak": """
        Prior read_prior read_places Channel read_channel read_pairs
        Shannon MinEntropy GuessError Guesswork Arimoto Hartley Collision Gain entropy
        leakage leakage_table property_leakage capacity
        design Plan Groups Blocks Stable Circle Near Cheapest certify compare exposure sweep least_k
        Cloak Key Pins load audit follow
        errors lab padding report results scale strings testing __version__
    """,
    "minleak.lab.sequences": "Chain Tracks baselines leakage read_chain",
    "minleak.strings": "NGram Policy honeywords",
    "minleak.padding": """
        design compare frontier padme to_multiple to_power_of_two Padding PaddingComparison PaddingFrontier
        least_budget LeastOverhead AppliedPolicy Bucket CurvePoint PolicyComparison
        from_samples universal update price_limits signal nip44 Limits LimitPrice Overheads SamplePadding SizeTable
        profiles frames Frames FrameCost read_streams Streams compare_streams StreamComparison AttackedPolicy
        UniformNoise GeometricNoise RandomTotal
    """,
    "minleak.padding.profiles": "Profile backup dns llm_sse messages",
    "minleak.padding.streams": """
        ShownStreams add_random_bytes pad_to_steps send_batches send_frames send_plainly
    """,
    "minleak.padding.asgi": "FrameEvents PadResponses",
    "minleak.padding.wsgi": "PadResponses",
    "minleak.lab.mechanisms": """
        Mechanism randomised_response geometric truncated_geometric exponential tight_constraints
        planar_geometric planar_laplace rounded privacy_curve PrivacyCurve shuffled_epsilon
    """,
    "minleak.lab": """
        renyi_divergence kl_divergence chi_square hellinger bhattacharyya hockey_stick
        binary_symmetric symmetric binary_erasure z_channel visible_choice hidden_choice
        deficiency Deficiency less_noisy more_capable InformationOrder
        guesswork_moment GuessworkMoment smooth_min_entropy repetition_bounds RepetitionBounds
        privacy_funnel PrivacyFunnel
        sibson conditional_sibson conditional_maximal_leakage csiszar maximal_correlation
        alpha_leakage maximal_alpha_leakage maximal_alpha_beta_leakage local_renyi_epsilon
        vulnerability posterior_vulnerability multiplicative_leakage additive_leakage maximal_leakage local_dp_epsilon
        Entropy ConditionalEntropy check_entropy EntropyCheck Renyi RenyiMean BestGuesses AllGuesses
        majorizes Majorization
        lorenz check_schur_concave SchurCheck
        Adversary OptimalAdversary UniformAdversary MismatchedAdversary best_guesses
        Matroid matroid_optimum principal_partition
        max_refined_by join_meet join_meet_refined_by left_factor Joint Together induced_metric
        max_case_capacity max_case_leakage max_case_vulnerability pointwise_maximal_leakage
        bayes_security bayes_risk_capacity risk posterior_risk risk_leakage loss_gain predicate_gain tries_gain
        total_variation multiplicative_distance convex_separation kantorovich multiplicative_kantorovich Transport
        hyper_distance refinement_distance RefinementDistance prior_epsilon
        gain_sum posterior_gain gain_to_bayes GuessingForm property_channel
        CoreConcave Hayashi FehrBerens SharmaMittal Tsallis additive_capacity d_privacy
        baselines estimate_prior observations_needed repeated_success
        optimise least_budget tradeoff refined_by mechanisms sequences
    """,
    "minleak.results": """
        Audit Baseline Bracket ByStep Capacity Certificate ChannelPlan ChannelSummary Check Comparison
        ComparisonRow Cost Drawable Equilibrium Estimate EstimatedPrior ExportedTable Exposure Frontier
        FrontierPoint Hyper JoinMeetOrder Labels LeakageRow LeakageTable LeastBudget Lineage LineageSummary
        Looks LooksNeeded MatroidOptimum Measured Misfit Needed Optimum Pairs PartWorth PartitionBlock
        PlanLeakage PlanSummary PointwiseLeakage Posteriors PrincipalPartition PropertyLeakage Refinement
        Repeated Result RowsRead SequenceLeakage SequenceTable Shown Stage StringModel StringSummary Sweep Table
        Today Tradeoff UnlistedPlan Walk World fields_of
    """,
    "minleak.report": "Figure figures page save_chart write",
    "minleak.scale": """
        Header Spectrum WarehouseLineage WarehousePlan audit certify chain cloak connect design load read to_plan
        update
    """,
    "minleak.errors": """
        MinleakError MinleakWarning InvalidPrior InvalidChannel InvalidParameter UnreadableFile InvalidKey UnknownSecret
        PendingSecret InvalidCloak Infeasible SolverFailed MissingExtra
    """,
    "minleak.testing": "assert_no_leak priors channels entropies gains systems capped_channels check_model",
}

MEMBERS = {
    ml.Prior: "p weights labels total exact events from_counts uniform __len__",
    ml.Channel: "joint posteriors output columns preimages preimage_sizes toarray shape __matmul__ parallel product "
    "repeated from_rows deterministic random hyper reduced",
    ml.Plan: "n_giants target exact_target entropy leakage channel sets repeated cost cost_bound save decoy_distances "
    "success success_of property_leakage in_the_world loss table update lineage version parts pending digest",
    ml.results.Lineage: "parts pending version lineage success success_of entropy leakage sets channel table update "
    "save digest",
    ml.results.Comparison: "verdict",
    ml.Cloak: "draw draw_fresh draw_many draw_all positions set_id listed current lineages key",
    ml.Pins: "lineage",
    ml.lab.sequences.Chain: "from_sequences save load labels initial marginal probability stationary entropy_rate "
    "simulate distance __len__",
    ml.lab.sequences.Tracks: "draw start resume",
    ml.Key: "new load save id",
    ml.strings.NGram: "fit save load weight interval at heaviest",
    ml.results.ChannelPlan: "success success_of entropy leakage channel save digest",
    ml.results.UnlistedPlan: "target exact_target success unlisted entropy against save",
}

EACH = [(namespace, name) for namespace, names in PROMISED.items() for name in names.split()]
MODULES = {module.name.split(".")[-1]: module.name for module in pkgutil.walk_packages(ml.__path__, "minleak.")}


@pytest.mark.parametrize("namespace", PROMISED)
def test_what_is_promised_is_what_is_exported(namespace):
    """No more, no less; and in order, so that a newcomer finds where to add a name."""
    exported = importlib.import_module(namespace).__all__
    assert sorted(PROMISED[namespace].split()) == sorted(exported), "bring PROMISED in this file up to date"
    assert list(exported) == sorted(exported)


def test_every_name_lives_in_one_place():
    """The same object is in no two namespaces; and those of every day are few."""
    homes: dict[int, list[str]] = {}
    for namespace, name in EACH:
        homes.setdefault(id(getattr(importlib.import_module(namespace), name)), []).append(f"{namespace}.{name}")
    assert not [places for places in homes.values() if len(places) > 1]
    few = 55  # 50 after the rebuild, and a few more for what comes: names of experts belong in a namespace
    assert len(ml.__all__) <= few, "too many daily names: put some into lab or another namespace"


@pytest.mark.parametrize(("namespace", "name"), EACH)
def test_every_name_exists_and_has_a_docstring(namespace, name):
    """A docstring of its own, not that of a base class."""
    found = getattr(importlib.import_module(namespace), name)
    assert name == "__version__" or ((found.__doc__ or "").strip() and found.__doc__ != type(found).__doc__)


def test_every_name_has_an_entry_in_the_reference():
    """And the reference has no others."""
    written = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "reference.md").read_text(), flags=re.MULTILINE)
    listed = {"minleak.__version__", *PROMISED}
    names = {f"{namespace}.{name}" for namespace, name in EACH}
    assert sorted(written) == sorted(names - listed)


def test_no_function_has_the_name_of_a_module():
    """Else one hides the other, whichever is imported last. A file of a command is named as the command is."""
    modules = {name for name, path in MODULES.items() if not path.startswith("minleak.cli.")}
    assert not [name for name in ml.__all__ if name in modules and callable(getattr(ml, name))]


@pytest.mark.parametrize(("owner", "members"), MEMBERS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_promised_members_exist(owner, members):
    """The attributes that the documentation speaks of."""
    made = {
        ml.Prior: ml.Prior([1]),
        ml.Channel: ml.Channel([[1.0]]),
        ml.lab.sequences.Chain: ml.lab.sequences.Chain([1], [[1]]),
    }
    instance = made.get(owner, owner)
    assert not [member for member in members.split() if not hasattr(instance, member)]


def test_importing_is_light():
    """import minleak loads none of the heavy libraries; they come when first needed."""
    heavy = ["numpy", "pyarrow", "scipy", "numba", "hypothesis", "mpmath", "rich", "typer"]
    code = f"import minleak, sys; print([name for name in {heavy!r} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_all_names_come_with_a_star_and_in_dir():
    """`from minleak import *` brings what __all__ lists, and dir() shows it; others are no attributes."""
    names: dict[str, object] = {}
    exec("from minleak import *", names)
    assert set(ml.__all__) <= set(names)
    assert set(ml.__all__) <= {*dir(ml), "__version__"}
    assert ml.Shannon is ml.Shannon
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        ml.nothing_of_this_name  # noqa: B018


def test_the_version_stands_in_one_place():
    """The citation says the same."""
    assert f"\nversion: {ml.__version__}\n" in (ROOT / "CITATION.cff").read_text()
