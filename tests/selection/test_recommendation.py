"""What follows from the table (eqs. I63, I68)."""

from partita.selection._recommendation import supporting_criteria


def test_the_choice_follows_from_the_table(recorded):
    table = recorded.table
    better = table[table["p_value"] <= 0.05]
    clear = better[better["pac"] <= 0.01]
    expected = better.loc[better["rcsi"].idxmax()] if clear.empty else clear.iloc[-1]
    assert recorded.choice.n_clusters == expected["n_clusters"]


def test_proposals_are_the_best_of_each_column(recorded):
    table = recorded.table.set_index("n_clusters")
    best = {name: table[name].idxmax() for name in ("rcsi", "gap", "stability", "lifetime") if name in table}
    best |= {name: table[name].idxmin() for name in ("pac", "bic")}
    grows = table.index[table["delta_area"] >= 0.1]
    best["delta_area"] = max(grows, default=table.index[0])
    assert recorded.choice.proposals == best


def test_criteria_that_agree_and_others_are_named():
    proposed = {"rcsi": 3, "gap": 9, "pac": 3}
    assert supporting_criteria(3, proposed) == ["also proposed by rcsi, pac", "other proposals: gap 9"]
    assert supporting_criteria(3, {"rcsi": 3}) == ["also proposed by rcsi"]
    assert supporting_criteria(3, {"gap": 9}) == ["other proposals: gap 9"]
