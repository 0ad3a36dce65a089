"""The picture of the how-to on places: how often the country is guessed against how often the city is, for caps on how
many cities of one country a set may hold. Needs the extra `report`: python docs/country_against_city.py.
"""

from __future__ import annotations

from pathlib import Path

import altair as alt

import minleak as ml

ROOT = Path(__file__).parents[1]
PICTURE = Path(__file__).parent / "country_against_city.png"
K = 8


def points() -> list[dict[str, object]]:
    """For at most 1, 2, 3 of a country in a set, and for no cap: what a guess at the city and at the country gets."""
    people = ml.read_prior(ROOT / "examples" / "data" / "cities.csv")
    country = {city: city[-2:] for city in people.labels}
    plans = {f"at most {cap}": ml.design(people, K, groups=ml.Groups(country, at_most=cap)) for cap in (1, 2, 3)}
    plans["no cap"] = ml.design(people, K)
    return [{"cap": name, "city": plan.success, "country": plan.success_of(country)} for name, plan in plans.items()]


def main() -> None:
    """Draw it."""
    chart = alt.Chart(alt.Data(values=points())).encode(
        x=alt.X("city:Q", title="city guessed").scale(zero=True),
        y=alt.Y("country:Q", title="country guessed").scale(zero=True),
    )
    names = chart.mark_text(dx=8, align="left").encode(text="cap:N")
    ml.report.save_chart(chart.mark_point(size=80, filled=True) + names, PICTURE, title=f"Sets of {K} cities")


if __name__ == "__main__":
    main()
