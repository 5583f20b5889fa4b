"""Picking the part of a file that fits: by name, by words, and the first symbol when nothing does."""

from shirube.features.lookup.context.fit import SourceFiles
from shirube.features.lookup.context.gather import Picker
from tests.features.lookup.context.conftest import EMBEDDER


def picked(store, question: str, path: str, names=()) -> tuple[str, float]:
    piece, fit = Picker(SourceFiles(store), EMBEDDER, question).best(path, names)
    return piece.symbol, fit


def test_the_part_with_the_words_is_picked(store):
    assert picked(store, "give the money back, refund", "src/shop/payment.py")[0] == "PaymentGateway"


def test_a_name_that_is_imported_outweighs_a_few_words(store):
    assert picked(store, "give back what the bank took", "src/shop/payment.py", ("checkout",))[0] == "checkout"


def test_when_nothing_fits_it_is_the_first_symbol_and_the_fit_is_nothing(store):
    symbol, fit = picked(store, "zyzzyva", "src/shop/payment.py")
    assert (symbol, fit) == ("PaymentError", 0.0)


def test_a_file_without_pieces_has_no_part(store):
    assert Picker(SourceFiles(store), EMBEDDER, "x").best("gone.py") is None


class Trained:
    """A model that knows one thing: whatever is asked is about refunds."""

    name, trained, background, dimensions = "test", True, 0.0, EMBEDDER.dimensions

    def query(self, text, tokens=None):
        return EMBEDDER.query("charge_card amount receipt refund bank")


def test_a_trained_model_finds_what_the_words_do_not(store):
    piece, _ = Picker(SourceFiles(store), Trained(), "zyzzyva").best("src/shop/payment.py")
    assert piece.symbol == "PaymentGateway"
