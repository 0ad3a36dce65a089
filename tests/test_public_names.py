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
        design Plan Groups Blocks Stable Circle Near Cheapest certify compare exposure
        repeated population update summary export decoy_distances sweep least_k
        Buckets selector visits
        Cloak Key Pins load audit
        errors lab padding report results scale strings testing __version__
    """,
    "minleak.lab.sequences": "Chain Tracks baselines leakage read_chain",
    "minleak.strings": "NGram Policy honeywords",
    "minleak.padding": """
        design compare frontier padme to_multiple to_power_of_two Padding PaddingComparison PaddingFrontier
        least_budget LeastOverhead AppliedPolicy Bucket CurvePoint PolicyComparison
        from_samples universal update price_limits signal nip44 Limits Overheads SamplePadding SizeTable
        profiles frames Frames FrameCost read_streams Streams
    """,
    "minleak.padding.profiles": "Profile backup dns llm_sse messages",
    "minleak.padding.asgi": "FrameEvents PadResponses",
    "minleak.padding.wsgi": "PadResponses",
    "minleak.lab.mechanisms": """
        Mechanism randomised_response geometric truncated_geometric exponential tight_constraints
        planar_geometric planar_laplace rounded privacy_curve PrivacyCurve shuffled_epsilon
    """,
    "minleak.lab.paper": "Cachin JizbaArimitsu LogGuesswork NonMonotone RennerWolf algorithm_1",
    "minleak.lab": """
        AllGuesses BestGuesses ConditionalEntropy CoreConcave Entropy FehrBerens Hayashi
        Joint Matroid MismatchedAdversary OptimalAdversary Renyi RenyiMean
        SharmaMittal Together Tsallis UniformAdversary additive_capacity additive_leakage alpha_leakage
        baselines bayes_risk_capacity bayes_security best_guesses binary_erasure binary_symmetric certify_pairs
        check_entropy conditional_sibson convex_separation csiszar d_privacy deficiency estimate_prior gain_sum
        gain_to_bayes guessing_capacity guesswork_moment hidden_choice hockey_stick hyper hyper_distance
        induced_metric invariance kantorovich kl_divergence least_budget least_capacity left_factor less_noisy
        local_dp_epsilon local_renyi_epsilon majorizes matroid_optimum max_case_capacity max_case_leakage
        max_case_vulnerability max_refined_by maximal_alpha_beta_leakage maximal_alpha_leakage
        maximal_correlation maximal_leakage mechanisms more_capable multiplicative_distance
        multiplicative_kantorovich multiplicative_leakage observations_needed online_buckets optimise
        padding_channel pairs paper parallel pml_channel pointwise_maximal_leakage posterior_gain posterior_risk
        posterior_vulnerability posteriors predicate_gain prior_epsilon privacy_funnel product reduced
        refined_by refinement_distance renyi_divergence repeated repeated_success repetition_bounds risk
        risk_leakage sequences sibson smooth_min_entropy symmetric total_variation tradeoff visible_choice
        vulnerability z_channel
    """,
    "minleak.results": """
        Audit Baseline Bracket ByStep Capacity Certificate ChannelPlan ChannelSummary Check Comparison
        ComparisonRow Cost Deficiency Drawable EntropyCheck Equilibrium Estimate EstimatedPrior ExportedTable
        Exposure Frontier FrontierPoint GuessingForm GuessworkMoment HiddenVisits Hyper InformationOrder
        Invariance Labels LeakageRow LeakageTable LeastBudget LeastCapacity Lineage LineageSummary Looks
        LooksNeeded LookupFigures Majorization MatroidOptimum Measured Misfit Needed OnlineBuckets Optimum
        PairClass Pairs PairsOptimum PartWorth PartitionBlock PlanLeakage PlanSummary PointwiseLeakage
        PopularityClass Posteriors PrincipalPartition PrivacyFunnel PropertyLeakage Refinement
        RefinementDistance Repeated RepetitionBounds Result RowsRead Selector SelectorReport SequenceLeakage
        SequenceTable Shown Stage StringModel StringSummary Sweep Table Today Tradeoff Transport UnlistedPlan
        VisitRow Walk Witness World fields_of
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
    ml.Channel: "blocks preimages preimage_sizes toarray shape __matmul__ from_rows deterministic random",
    ml.Plan: "n_giants target exact_target entropy leakage channel sets cost cost_bound save places locate find show "
    "success success_of property_leakage loss table lineage version parts pending digest",
    ml.results.Lineage: "parts pending version lineage success success_of entropy leakage sets channel table "
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
