"""The paper reproduced: every claim has its verdict, the files hold the numbers, and a wrong number is noticed."""

from __future__ import annotations

import ast
import csv
import importlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.cases import TOYS

import minleak as ml
from paper import claims, corollaries, counterexample, errata, figures, gains, toys
from paper.page import as_csv, as_page, body
from paper.reproduce import PARTS, reproduce

ROOT = Path(__file__).parents[2]

PICTURES = {f"toy-{i}" for i in (1, 2, 3)} | {
    "least-leakage",
    "uniform-randomisation",
    "ignorant-adversary",
    "counterexample",
}
TABLES = PICTURES | {"claims", "corollaries", "gains", "errata", "matroids", "pairs", "minors", "capacities"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The whole run, once: the folder, the claims, and the steps told."""
    folder = tmp_path_factory.mktemp("reproduced") / "paper"
    told = []
    found = reproduce(folder, tell=told.append)
    return folder, found, told


@pytest.fixture(scope="module")
def html(made):
    return (made[0] / "paper.html").read_text()


def rows(folder, name):
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def column(folder, name, of):
    return [float(row[of]) for row in rows(folder, name)]


def about(found, text):
    """The only claim that speaks of it."""
    (claim,) = [claim for claim in found if text in claim.what]
    return claim


# -- what is claimed -------------------------------------------------------------------------------------------------


def test_no_claim_fails(made):
    _, found, _ = made
    assert [claim for claim in found if not claim.ok] == []
    assert all(claim.printed and claim.ours for claim in found)
    assert len({claim.what for claim in found}) == len(found)


def test_verdicts_are_of_the_known_kinds(made):
    _, found, _ = made
    wrong = [claim.verdict for claim in found if "erratum" in claim.verdict]
    assert wrong == [f"the print is wrong: erratum {n}" for n in range(1, 11)]
    others = {claim.verdict for claim in found} - set(wrong)
    assert others == {claims.HOLDS, claims.AGREES, counterexample.ONE_OF_MANY}


def test_progress_tells_each_step(made):
    *_, told = made
    assert told == [*PARTS, "pictures and the page"]


# -- what is written -------------------------------------------------------------------------------------------------


def test_all_files_and_no_others(made):
    folder, *_ = made
    expected = {f"{name}.png" for name in PICTURES} | {f"{name}.csv" for name in TABLES} | {"paper.html"}
    assert {path.name for path in folder.iterdir()} == expected
    for name in PICTURES:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_claims_are_in_their_table(made):
    folder, found, _ = made
    assert [(r["claim"], r["printed"], r["ours"], r["verdict"]) for r in rows(folder, "claims")] == [
        (claim.what, claim.printed, claim.ours, claim.verdict) for claim in found
    ]


@pytest.mark.parametrize(("number", "toy"), list(enumerate(TOYS.values(), start=1)))
def test_toy_channels(made, number, toy):
    """The printed channel stands beside ours, and ours rounds to it; both printed tables in the tests are the same."""
    folder, *_ = made
    weights, j, printed = toy
    assert ml.design(weights, 3).n_giants + 1 == j == toys.PRINTED_J[number - 1]
    for members, values in printed.items():
        name = "{" + ",".join(str(x + 1) for x in members) + "}"
        assert column(folder, f"toy-{number}", f"{name} printed") == list(values)
        assert [round(value, 4) for value in column(folder, f"toy-{number}", f"{name} ours")] == list(values)
    assert len(rows(folder, f"toy-{number}")[0]) == 2 + 2 * len(printed)


@pytest.mark.parametrize(
    ("k", "expected"),
    [(15, (0.7437328063, 0.4150374993, 0.0473057148)), (20, (0.3404993987, 0.1165683772, 0.0))],
)
def test_least_leakage(made, k, expected):
    folder, *_ = made
    for name, value in zip(figures.ENTROPIES, expected, strict=True):
        assert column(folder, "least-leakage", name)[k - 1] == pytest.approx(value, abs=6e-11)


def test_least_leakage_vanishes_where_it_should(made):
    folder, *_ = made
    zeros = {
        name: [k for k, value in enumerate(column(folder, "least-leakage", name), start=1) if abs(value) < 1e-11]
        for name in figures.ENTROPIES
    }
    assert zeros == {"Shannon": [30], "log-guesswork": [30], "min-entropy": list(range(16, 31))}


def test_uniform_randomisation(made):
    folder, *_ = made
    values = column(folder, "uniform-randomisation", "uniform randomisation")
    assert values[4] == pytest.approx(2.3692338097, abs=6e-11)
    assert values[15] == pytest.approx(0.8667334691, abs=6e-11)
    assert column(folder, "uniform-randomisation", "optimal") == column(folder, "least-leakage", "min-entropy")


def test_ignorant_adversaries(made):
    """For k < 16 every set is uniform, and all have log2 k; after that ignorance costs, in both readings."""
    folder, *_ = made
    informed, uniform, mistaken = (
        column(folder, "ignorant-adversary", name)
        for name in ("informed", "guesses uniformly in the set", "believes in a uniform prior")
    )
    for k in range(1, 16):
        assert 2 ** informed[k - 1] == pytest.approx(k)
        assert 2 ** uniform[k - 1] == pytest.approx(k)
        assert 2 ** mistaken[k - 1] == pytest.approx(k)
    for k in range(16, 31):
        assert 2 ** informed[k - 1] == pytest.approx(15.5)
        assert 2 ** uniform[k - 1] == pytest.approx(k)
        # he names the lightest member, which has the posterior s/u of all that are no giants
        expected = 1 / 30 if k == 30 else ml.design(figures.FIGURES, k).target[-1]
        assert 2 ** -mistaken[k - 1] == pytest.approx(expected)


def test_corollaries(made):
    folder, *_ = made
    cases = [int(row["cases"]) for row in rows(folder, "corollaries")]
    assert cases == [30, 4, 4, 4, 465, 10, 10, 10, 30, 4, 4, 4]
    assert {row["largest difference"] for row in rows(folder, "corollaries")} == {"below 1e-12"}


def test_counterexample(made):
    """With a prior that gives the printed digits guesswork is flat from 0.1518 to 0.29875, the others not."""
    folder, found, _ = made
    ends = {(r["prior"], r["entropy"]): (float(r["from"]), float(r["to"])) for r in rows(folder, "counterexample")}
    expected = {
        ("consistent", "guesswork"): (0.1518, 0.29875),
        ("consistent", "Renyi 2 (Arimoto)"): (0.2573025943, 0.2573025943),
        ("consistent", "Shannon"): (0.2998028509, 0.2998028509),
        ("our own", "guesswork"): (0.2, 0.2),
        ("our own", "Renyi 2 (Arimoto)"): (0.1857864376, 0.1857864376),
        ("our own", "Shannon"): (0.2153846154, 0.2153846154),
    }
    assert ends.keys() == expected.keys()
    for key, value in expected.items():
        assert ends[key] == pytest.approx(value, abs=2e-6)
    assert about(found, "best for Renyi").verdict == claims.AGREES
    assert about(found, "best for Shannon").verdict == claims.AGREES
    for p in (counterexample.CONSISTENT, counterexample.SEPARATING):  # designed, searched: two ways
        for H in counterexample.ENTROPIES.values():
            assert counterexample.maximisers(p, H) == pytest.approx(counterexample.searched(p, H), abs=2e-6)
    p = counterexample.CONSISTENT
    guesses = [ml.Guesswork().conditional(p, counterexample.channel(p, x)) for x in (0.1518, 0.2573, 0.29875)]
    assert guesses == pytest.approx([guesses[0]] * 3, abs=1e-12)


@pytest.mark.parametrize("prior", [counterexample.CONSISTENT, (0.20432, 0.56261, 0.1518, 0.08127)])
def test_the_printed_maximisers_are_consistent_with_more_than_one_prior(prior):
    """So that the print can be exact, and tells no prior."""
    exact = counterexample.by_hand(prior)
    for name, printed in counterexample.PRINTED.items():
        assert exact[name][0] == pytest.approx(printed, abs=5e-5)


def test_gains(made):
    folder, *_ = made
    for row in rows(folder, "gains"):
        optimum = float(row["optimum"])
        assert float(row["our channel"]) == pytest.approx(optimum, abs=1e-11)
        others = max(float(row["plan without gains"]), float(row["best of 500 random"]))
        assert others < optimum <= float(row["before"])


# -- the page --------------------------------------------------------------------------------------------------------


class Loads(HTMLParser):
    """Everything on the page that a browser would fetch, and the ids it has."""

    def __init__(self):
        super().__init__()
        self.fetched, self.ids, self.links = [], set(), []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif name in ("src", "href", "srcset", "poster", "data", "action", "background"):
                self.fetched.append((tag, name, value))


def test_page_needs_no_network(html):
    page = Loads()
    page.feed(html)
    assert page.fetched == []
    assert page.links
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    style = html[html.index("<style>") : html.index("</style>")]
    assert "@import" not in style
    assert "url(" not in style
    # a module script may load others; the library and the charts' specifications are inside
    assert re.search(r"""(?:\bfrom|^\s*import)\s*["']https?:""", html, re.MULTILINE) is None
    assert '"url":' not in html[html.index('id="specs"') :]


def test_page_has_everything(made, html):
    _, found, _ = made
    page = Loads()
    page.feed(html)
    assert {f"chart-{name}" for name in PICTURES} <= page.ids
    shown = html[: html.index('<script type="module">')]
    assert shown.count("<tr><td>") >= len(found)
    for name in TABLES - {"claims"}:
        assert f"({name}.csv)" in shown
    assert f"{len(found)} claims checked, none fails" in shown


def test_the_same_again(made, html):
    """Nothing on the page or in the tables depends on the time or on chance."""
    folder, *_ = made
    parts = [make() for make in PARTS.values()]
    assert as_page(parts) == html
    for part in parts:
        for table in part.tables:
            assert as_csv(table) == (folder / f"{table.name}.csv").read_text()


def test_a_folder_that_cannot_be(tmp_path, monkeypatch):
    monkeypatch.setattr("paper.reproduce.PARTS", {})
    (tmp_path / "file").write_text("mine")
    for folder, wrong in (("file", "cannot make the folder"), ("file/below", "cannot write to")):
        with pytest.raises(ml.errors.MinleakError, match=wrong):
            reproduce(tmp_path / folder)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("missing", ["altair", "jinja2", "vl_convert"])
def test_without_the_extra_it_says_so_and_writes_nothing(tmp_path, missing):
    (tmp_path / f"{missing}.py").write_text(f"raise ModuleNotFoundError('none', name={missing!r})")
    done = subprocess.run(
        [sys.executable, "-m", "paper", "-o", tmp_path / "made"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"reports and charts need the package {missing}: run pip install '.[report]'")
    assert not (tmp_path / "made").exists()


def test_only_public_names_are_used():
    """What the paper needs a user can have too."""
    for file in (ROOT / "paper").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                assert not any(name.name.startswith("minleak") for name in node.names), file.name
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("minleak"):
                public = importlib.import_module(str(node.module)).__all__
                assert "._" not in str(node.module), file.name
                assert {name.name for name in node.names} <= set(public), file.name


def test_text_is_never_markup():
    evil = '</script><!--<b>{{7*7}}" onload=x'
    part = claims.Part(
        evil,
        (evil,),
        (claims.Claim(evil, evil, evil, claims.HOLDS),),
        (claims.Table("t", evil, (evil,), ((evil,),)),),
    )
    shown = body([part])
    assert "<b>" not in shown
    assert "49" not in shown
    assert shown.count("&lt;b&gt;{{7*7}}&#34; onload=x") == 9


# -- a wrong number is noticed ---------------------------------------------------------------------------------------


def failing(part):
    return {claim.what for claim in part.claims if not claim.ok}


def test_a_wrong_digit_in_a_table(monkeypatch):
    printed = [dict(table) for table in toys.PRINTED]
    printed[1][1, 2, 4] = (0.3750, 0.4000, 0, 0.8572)
    monkeypatch.setattr(toys, "PRINTED", tuple(printed))
    assert failing(toys.part()) == {"p_2: the optimal channel"}


def test_a_wrong_target(monkeypatch):
    """A plan that is optimal for other secrets is noticed wherever plans are looked at."""
    right = toys.design

    def wrong(weights, k, **options):
        return right([w + (place == 1) for place, w in enumerate(weights)], k, **options)

    for module in (toys, figures, gains):
        monkeypatch.setattr(module, "design", wrong)
    assert "p_1: the optimal channel" in failing(toys.part())
    assert "p_2: the sets shown" in failing(toys.part())
    assert any("Theorem 1" in what for what in failing(figures.leakage_part()))
    assert "pi of gamma_x p(x)" in failing(gains.part())


def test_an_entropy_that_is_off(monkeypatch):
    right = ml.Plan.entropy
    monkeypatch.setattr(ml.Plan, "entropy", lambda plan, H: right(plan, H) - 1e-6)
    assert len(failing(corollaries.part())) == 4
    assert len(failing(figures.leakage_part())) == 3
    assert len(failing(gains.part())) == 1
    assert any("two guesses" in what for what in failing(errata.part()))


def test_other_maximisers(monkeypatch):
    monkeypatch.setattr(counterexample, "CONSISTENT", (0.2, 0.5, 0.2, 0.1))
    failed = failing(counterexample.part())
    assert "The x that is best for guesswork" in failed


def test_a_wrong_adversary(monkeypatch):
    class Lucky(ml.lab.UniformAdversary):
        def success(self, prior, channel):
            return min(1.0, super().success(prior, channel) * 1.001)

    monkeypatch.setattr(figures, "UniformAdversary", Lucky)
    assert len(failing(figures.adversary_part())) == 1


def test_failures_are_on_the_page(monkeypatch):
    monkeypatch.setattr(toys, "PRINTED_J", (1, 1, 3))
    page = body([toys.part()])
    assert "1 of 13 claims do not agree" in page
    assert '<td class="bad">does not agree</td>' in page


@pytest.mark.parametrize(
    ("printed", "ours", "agrees"),
    [(0.4444, 4 / 9, True), (0.4444, 0.44445, True), (0.4444, 0.444451, False), (0.4444, float("nan"), False)],
)
def test_agreeing_to_the_printed_digits(printed, ours, agrees):
    assert claims.digits("a number", [printed], [ours]).ok is agrees
