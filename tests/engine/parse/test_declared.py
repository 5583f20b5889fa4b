"""Definitions that a grammar does not see: in a syntax error, in a call of a macro."""

from tests.cases import for_each
from tests.engine.parse.samples import placed, read

GUARDED = """\
package shop
open class Till(val name: String) {
    fun kind(x: Any) = when (x) {
        is Till if x.isOpen -> "it's open"
        else -> "none"
    }
    @Deprecated("x") internal fun <T : Any> List<T>.ring(price: Int): T {
        return first()
    }
}
object Shop
typealias Prices = Map<String, Int>
// fun remark() {}
val text = "fun quoted() {}"
fun last() = 1
"""


def test_what_an_error_hides_is_read_by_its_first_words():
    known = {(kind, name): (start, end) for kind, name, start, end in placed(read(GUARDED, "kotlin"))}
    assert known["class", "Till"] == (2, 10)
    assert known["method", "Till.kind"] == (3, 6)
    assert known["method", "Till.ring"] == (7, 9)
    assert known["object", "Shop"] == (11, 11)
    assert known["type", "Prices"] == (12, 12)
    assert known["function", "last"] == (15, 15)
    assert not {"remark", "quoted"} & {name.rpartition(".")[2] for _, name in known}


def test_a_class_of_annotations_below_annotations_is_a_class():
    assert placed(read("@Target(A.CLASS)\n@Wide\nannotation class Api\n", "kotlin")) == [("class", "Api", 3, 3)]


@for_each(
    ("source", "wanted"),
    [
        (
            "pin_project! {\n    #[derive(Debug)]\n    pub(crate) struct Stream<S> {\n        inner: S,\n    }\n}\n",
            [("struct", "Stream", 3, 5)],
        ),
        ("define! {\n    pub enum Refused {\n        A,\n    }\n}\n", [("enum", "Refused", 2, 4)]),
        ("lazy_static! {\n    static ref RULES: Vec<u8> = vec![];\n}\n", [("variable", "RULES", 2, 2)]),
        (
            "macro_rules! make {\n    ($n:ident) => {\n        pub fn made(&self) {}\n    };\n}\n",
            [("macro", "make", 1, 5)],
        ),
        ('fn f() {\n    g("\nfn quoted() {}\n");\n}\n', [("function", "f", 1, 5)]),
        (
            "fn f() {\n    const MOST: usize = 3;\n}\n",
            [("function", "f", 1, 3), ("constant", "f.MOST", 2, 2)],
        ),
    ],
)
def test_items_in_a_macro_of_rust_are_symbols(source: str, wanted: list[tuple[str, str, int, int]]):
    assert placed(read(source, "rust")) == wanted


def test_windows_line_ends_change_nothing():
    assert placed(read(GUARDED.replace("\n", "\r\n"), "kotlin")) == placed(read(GUARDED, "kotlin"))
