"""The picture of the how-to on places: how often the country is guessed against how often the city is, for caps on how
many cities of one country a set may hold. Needs the extra `report`: python docs/pictures/country_against_city.py.
"""

from __future__ import annotations

from pathlib import Path

import altair as alt

import minleak as ml

ROOT = Path(__file__).parents[2]
PICTURE = Path(__file__).parent / "country_against_city.png"
K = 8


def points() -> list[dict[str, object]]:
    """For at most 1, 2, 3 of a country in a set, and for no cap: what a guess at the city and at the country gets."""
    people = ml.read_prior(ROOT / "examples" / "data" / "cities.csv")
    country = {city: city.rstrip(" 0123456789")[-2:] for city in people.labels}
    plans = {f"at most {cap}": ml.design(people, K, groups=ml.Groups(country, at_most=cap)) for cap in (1, 2, 3)}
    plans["no cap"] = ml.design(people, K)
    return [{"cap": name, "city": plan.success, "country": plan.success_of(country)} for name, plan in plans.items()]


def main() -> None:
    """Draw it."""
    found = points()
    blind = found[0]["country"]  # with at most one city of a country nothing is told about it
    x = alt.X("city:Q", title="how often the city is guessed").scale(domain=[0.1, 0.32])
    y = alt.Y("country:Q", title="how often the country is guessed").scale(domain=[0.26, 0.33])
    encoding = {"x": x.axis(format="%", tickCount=5), "y": y.axis(format="%", tickCount=4)}
    plans = alt.Chart(alt.Data(values=found)).encode(**encoding)
    names = plans.mark_text(dx=8, dy=-10, align="left").encode(text="cap:N")
    level = alt.Chart(alt.Data(values=[{"city": 0.2, "country": blind, "cap": "a blind guess at the country"}]))
    rule = level.mark_rule(strokeDash=[4, 4]).encode(y=encoding["y"])
    said = level.mark_text(dy=14).encode(**encoding, text="cap:N")
    chart = rule + said + plans.mark_point(size=80, filled=True) + names
    ml.report.save_chart(chart, PICTURE, title=f"Sets of {K} cities, by cap on one country")


if __name__ == "__main__":
    main()
