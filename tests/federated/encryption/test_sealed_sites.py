"""Encrypted sums: exact, and of no use to a server, whatever it does with them."""

import math
import os

import numpy as np
import pytest

from partita import BCE, ECPCS, NBCE, MultinomialMixture
from partita.exceptions import SiteError
from partita.federated import simulate

ts = pytest.importorskip("tenseal")
pytest.importorskip("cryptography")

from partita.federated._checkpoint import Checkpoint  # noqa: E402
from partita.federated._engine import InProcess  # noqa: E402
from partita.federated._messages import pack, unpack  # noqa: E402
from partita.federated.encryption._cipher import (  # noqa: E402
    GRID,
    LIMIT,
    MAX_SITES,
    Cipher,
    Tags,
    add,
    decrypt_values,
    encrypt_values,
    from_digits,
    public_context,
    to_digits,
)
from partita.federated.encryption._keys import Seal, make_keys, new_keys, read_keys  # noqa: E402
from partita.federated.encryption._sealed_sites import Relay, SealedSite, SealedSites, combine, sealed_sites  # noqa: E402

ABOUT = ("fit", 3, "question")


@pytest.fixture(scope="module")
def keys():
    return new_keys()


@pytest.fixture(scope="module")
def cipher(keys):
    return Cipher(keys.context)


def encrypted_parts(keys, cipher, values):
    names = [f"s{i}" for i in range(len(values))]
    return {name: encrypt_values(keys, cipher, part, ABOUT, name) for name, part in zip(names, values, strict=True)}


def decrypted(keys, cipher, ciphertexts, length, n_sites):
    return decrypt_values(keys, cipher, ciphertexts, length, ABOUT, [f"s{i}" for i in range(n_sites)])


# ------------------------------------------------------------------------------------------------------------- sums
@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 1e9])
@pytest.mark.parametrize("n_sites", [2, 50])
def test_sums_are_exact_up_to_the_fixed_point(keys, cipher, size, n_sites):
    rng = np.random.default_rng(0)
    values = rng.uniform(-size, size, (n_sites, 700))  # 2102 whole numbers: two ciphertexts
    found = decrypted(keys, cipher, add(encrypted_parts(keys, cipher, values)), 700, n_sites)
    exact = np.array([math.fsum(column) for column in values.T])
    assert (np.abs(found - exact) <= n_sites * GRID / 2 + 2 * np.spacing(np.abs(exact))).all()  # eq. S31
    assert np.abs(found - exact).max() <= 1e-9 * np.abs(exact).max()


def test_the_largest_sums_do_not_wrap(keys, cipher):
    values = np.full((MAX_SITES, 2), LIMIT) * [1, -1]
    found = decrypted(keys, cipher, add(encrypted_parts(keys, cipher, values)), 2, MAX_SITES)
    assert found.tolist() == [LIMIT * MAX_SITES, -LIMIT * MAX_SITES]
    with pytest.raises(ValueError, match="at most 64"):
        add(encrypted_parts(keys, cipher, np.zeros((MAX_SITES + 1, 1))))


@pytest.mark.parametrize("value", [1.1 * LIMIT, -np.inf, np.nan])
def test_values_out_of_range_are_refused(value):
    with pytest.raises(ValueError, match=r"1\.37e\+11"):
        to_digits(np.array([1.0, value]))


def test_digits_are_small_whole_numbers_and_give_back_every_float():
    rng = np.random.default_rng(1)
    values = rng.choice([-1, 1], 5000) * 10.0 ** rng.uniform(-4, 11, 5000)
    digits = to_digits(values)
    assert (digits == np.rint(digits)).all()
    assert np.abs(digits).max() <= 2**35
    assert np.array_equal(from_digits(digits), values)  # 1e-4 has its last bit above the grid


def test_no_values_at_all_can_be_added(keys, cipher):
    assert len(decrypted(keys, cipher, add(encrypted_parts(keys, cipher, np.empty((2, 0)))), 0, 2)) == 0


# ------------------------------------------------------------------------------------------- what a server could try
def test_the_server_has_no_key_and_cannot_decrypt(keys, cipher):
    context = public_context()
    assert context.is_public()
    assert not context.has_secret_key()
    assert not context.has_public_key()
    sent = encrypt_values(keys, cipher, np.ones(3), ABOUT, "s0")
    with pytest.raises(ValueError, match="secret_key"):
        ts.ckks_vector_from(context, sent[0]).decrypt()
    other = Cipher(new_keys().context)  # a key of its own is of no use
    with pytest.raises(ValueError, match="whole numbers"):
        other.decrypt(sent, 3)


def test_equal_values_have_different_ciphertexts(keys, cipher):
    one, two = (encrypt_values(keys, cipher, np.zeros(3), ABOUT, "s0") for _ in range(2))
    assert one != two
    assert [len(part) for part in one] == [len(part) for part in two]


@pytest.mark.parametrize("attack", ["leave out", "twice", "other message", "add one", "double", "bytes"])
def test_altered_sums_are_found(keys, cipher, attack):
    parts = encrypted_parts(keys, cipher, np.arange(6.0).reshape(2, 3))
    if attack == "leave out":
        parts = {"s0": parts["s0"]}
    elif attack == "twice":
        parts["again"] = parts["s1"]
    elif attack == "other message":
        parts["s1"] = encrypt_values(keys, cipher, np.arange(3.0, 6.0), ("fit", 2, "question"), "s1")
    (total,) = add(parts)
    if attack in ("add one", "double"):
        vector = ts.ckks_vector_from(public_context(), total)
        total = (vector + [1.0] * 2048 if attack == "add one" else vector + vector).serialize()
    if attack == "bytes":
        total = total[:30000] + bytes(64) + total[30064:]
    with pytest.raises(ValueError, match=r"not the sum|not decrypt to whole"):
        decrypted(keys, cipher, [total], 3, 2)


def test_tags_change_with_every_single_number(keys):
    whole = np.random.default_rng(0).integers(-(2**35), 2**35, 50).astype(float)
    tags = Tags(keys, ABOUT, 50)
    own = tags.of_site(whole, "a")
    assert tags.match(whole, own, ["a"])
    for i in range(50):
        for change in (1.0, -1.0, 2.0**20):
            other = whole.copy()
            other[i] += change
            assert not tags.match(other, own, ["a"])
    assert not tags.match(whole, own, ["b"])


def test_ciphertexts_that_cannot_be_read_name_their_site(keys, cipher):
    parts = encrypted_parts(keys, cipher, np.ones((2, 3)))
    with pytest.raises(SiteError, match="'s1' sent ciphertexts that cannot be read"):
        add({**parts, "s1": [b"nonsense"]})
    with pytest.raises(SiteError, match="'s1' sent 2 ciphertexts"):
        combine("q", {"s0": {"sum": parts["s0"]}, "s1": {"sum": parts["s1"] * 2}})
    with pytest.raises(SiteError, match="'s1' sent an answer that is not encrypted"):
        combine("q", {"s0": {"sum": parts["s0"]}, "s1": None})


# ------------------------------------------------------------------------------------------------------ key files, seal
def test_a_key_file_is_private_and_is_never_replaced(tmp_path, keys):
    path = make_keys(tmp_path / "sites.key")
    assert len(read_keys(path).secret) == 32
    with pytest.raises(ValueError, match="never replaced"):
        make_keys(path)
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600
        path.chmod(0o644)
        with pytest.raises(ValueError, match="chmod 600"):
            read_keys(path)
    path.chmod(0o600)
    path.write_bytes(b"no keys")
    with pytest.raises(ValueError, match="not a key file"):
        read_keys(path)


def test_a_seal_opens_only_what_it_is_about(keys):
    seal = Seal(keys, "fit")
    value = {"a": np.arange(3.0), "b": ["text", None, 1.5], "c": {"d": True}}
    sealed = seal.seal(value, ABOUT)
    opened = seal.open(sealed, ABOUT)
    assert opened["b"] == value["b"]
    assert np.array_equal(opened["a"], value["a"])
    assert b"text" not in sealed
    for other, about in [
        (Seal(keys, "fit"), ABOUT[:2]),
        (Seal(keys, "other"), ABOUT),
        (Seal(new_keys(), "fit"), ABOUT),
    ]:
        with pytest.raises(ValueError, match="changed or exchanged"):
            other.open(sealed, about)
    for place in (0, 20, len(sealed) - 1):
        with pytest.raises(ValueError, match="changed or exchanged"):
            seal.open(sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :], ABOUT)
    with pytest.raises(ValueError, match="not a sealed message"):
        seal.open(None, ABOUT)


# ------------------------------------------------------------------------------------------------- sites and their lead
class Numbers:
    """A site that sends what it was given."""

    def __init__(self, reply):
        self.reply = reply

    def answer(self, question, values):
        return self.reply if not callable(self.reply) else self.reply(values)


class Watched(Relay):
    """A server that keeps what passes, and may change it."""

    def __init__(self, engine, change=None):
        super().__init__(engine)
        self.seen, self.change = [], change

    def relay(self, question, values):
        if self.change:
            question, values = self.change(question, values)
        combined = unpack(pack(super().relay(question, unpack(pack(values)))))  # as between machines
        self.seen.append((question, values, combined))
        return combined


def lead_of(keys, replies, change=None):
    sites = {name: SealedSite(Numbers(reply), keys, name) for name, reply in replies.items()}
    link = Watched(InProcess(sites), change)
    return SealedSites(link, keys), link


def test_totals_and_replies_pass_through_a_server_that_cannot_read_them(keys):
    secret = "the state that only sites may know"
    lead, link = lead_of(keys, {"a": {"x": np.eye(2), "n": [3.0]}, "b": {"x": np.ones((2, 2)), "n": [0.25]}})
    total = lead.total("count", {"state": secret}, {"n": (1,), "x": (2, 2)})
    assert total["x"].tolist() == [[2, 1], [1, 2]]
    assert total["n"].tolist() == [3.25]
    single = lead.each("labels", {"state": secret})
    assert single["b"]["n"] == [0.25]
    assert list(lead.each("labels", {}, to=["b"])) == ["b"]
    assert [exchange.question for exchange in lead.exchanges] == ["count", "labels", "labels"]
    assert set(link.seen[0][1]) == {"session", "number", "sealed"}
    assert secret not in repr(link.seen)
    assert [list(combined) for _, _, combined in link.seen] == [["sum"], ["sealed"], ["sealed"]]


def test_sites_that_are_not_named_do_not_answer(keys):
    lead, _ = lead_of(keys, {"a": lambda values: pytest.fail("was asked"), "b": {"n": 1}})
    assert lead.each("bce.visit", {}, to=["b"]) == {"b": {"n": 1}}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            {"n": [np.nan]},
            "'b' answered: has no usable answer to 'count': it sent 'n' with values that are not",
        ),
        ({"n": [1.0, 2.0]}, "'b' .* of shape"),
        (None, "'b' .* sent nothing"),
        ({"n": [1e12]}, r"'b' .* within \+-2\^37"),
        (lambda values: 1 / 0, "'b' raised ZeroDivisionError"),
    ],
)
def test_a_site_that_cannot_answer_is_named(keys, reply, words):
    lead, _ = lead_of(keys, {"a": {"n": [1.0]}, "b": reply})
    with pytest.raises(SiteError, match=words) as error:
        lead.total("count", {}, {"n": (1,)})
    assert list(error.value.sites) == ["b"]


def test_sites_refuse_messages_that_were_changed_exchanged_or_sent_before(keys):
    kept = []

    def change(question, values):
        kept.append((question, values))
        return {
            0: (question, values),
            1: ("other", values),
            2: (question, {**values, "number": 7}),
            3: (question, {**values, "sealed": values["sealed"][:-1] + b"!"}),
            4: kept[0],
        }[len(kept) - 1]

    lead, _ = lead_of(keys, {"a": {"n": [1.0]}, "b": {"n": [1.0]}}, change)
    lead.total("count", {}, {"n": (1,)})
    for words in ["cannot open the message 'other'", "cannot open", "cannot open", "sent before"]:
        with pytest.raises(SiteError, match=words):
            lead.total("count", {}, {"n": (1,)})


def test_sites_refuse_messages_of_an_ended_fit(keys):
    site = SealedSite(Numbers({"n": [1.0]}), keys, "a")
    old, new = (SealedSites(Watched(InProcess({"a": site})), keys) for _ in range(2))
    old.each("labels", {})
    new.each("labels", {})
    with pytest.raises(SiteError, match="sent before"):
        old.each("labels", {})


def test_a_site_with_other_keys_is_named(keys):
    sites = {"a": SealedSite(Numbers({}), keys, "a"), "b": SealedSite(Numbers({}), new_keys(), "b")}
    with pytest.raises(SiteError, match=r"'b' .*another key file") as error:
        SealedSites(Relay(InProcess(sites)), keys).each("labels", {})
    assert list(error.value.sites) == ["b"]


class Swapping(Watched):
    def relay(self, question, values):
        combined = super().relay(question, values)
        if "sum" in combined:
            return {"sum": self.seen[0][2]["sum"]}
        return {"sealed": dict(zip("ab", reversed(combined["sealed"].values()), strict=True))}


def test_the_lead_refuses_exchanged_replies_and_old_sums(keys):
    sites = {name: SealedSite(Numbers({"n": [1.0]}), keys, name) for name in "ab"}
    lead = SealedSites(Swapping(InProcess(sites)), keys)
    assert lead.total("count", {}, {"n": (1,)})["n"] == [2.0]
    with pytest.raises(SiteError, match=r"'server' returned a sum for 'count'.*each of them once"):
        lead.total("count", {}, {"n": (1,)})
    with pytest.raises(SiteError, match="cannot be opened") as error:
        lead.each("labels", {})
    assert set(error.value.sites) == {"a", "b"}


def test_stored_sums_are_not_asked_for_again(keys, tmp_path):
    asked = []
    owner = Numbers(lambda values: asked.append(values["exchange"]) or {"n": [2.0]})
    for _ in range(2):
        sites = sealed_sites({"a": owner, "b": Numbers({"n": [1.0]})}, keys, Checkpoint(tmp_path, {}))
        assert sites.total("count", {}, {"n": (1,)})["n"] == [3.0]
    assert sites.total("count", {}, {"n": (1,)})["n"] == [3.0]
    assert asked == [0, 1]


# ------------------------------------------------------------------------------------------------------------ methods
@pytest.mark.parametrize(
    "estimator",
    [
        ECPCS(3),
        BCE(3, random_state=0, tol=1e-3, n_init=1),
        MultinomialMixture(3, random_state=0),
        NBCE("vb", truncation=10, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_an_encrypted_fit_is_the_plain_fit(estimator):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=80)
    X = np.where(rng.random((80, 5)) < 0.2, rng.integers(3, size=(80, 5)), truth[:, None])
    X[rng.random(X.shape) < 0.1] = -1
    parts = np.split(X, [30])
    plain, hidden = simulate(estimator, parts), simulate(estimator, parts, encrypted=True)
    assert np.array_equal(plain.labels_, hidden.labels_)
    assert len(plain.exchanges_) == len(hidden.exchanges_)
    if hasattr(plain, "history_"):
        np.testing.assert_allclose(hidden.history_, plain.history_, rtol=1e-12)
        np.testing.assert_allclose(hidden.membership_, plain.membership_, atol=1e-10)
