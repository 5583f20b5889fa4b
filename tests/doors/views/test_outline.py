import re
from random import Random

from shirube.doors.views.outline import FORMS, SHARE, fitted, outline, parameters, row
from shirube.engine.text.budget import tokens_of
from shirube.features.lookup.symbol_results import StructureElement, StructureFile
from tests.cases import for_each


def element(name: str, start: int, end: int = 0, signature: str = "", *inside: StructureElement) -> StructureElement:
    return StructureElement(name, "function", start, end or start, signature, inside)


RUN = element("run", 12, 30, "def run(self, limit: int = 3, *names: str) -> list[str]")
STOP = element("stop", 32, 40, "def stop(self) -> None")
WORKER = StructureElement("Worker", "class", 10, 40, "class Worker(Base[int])", (RUN, STOP))
LIMIT = element("LIMIT", 3, 3, "LIMIT = 100")
ALL = (LIMIT, WORKER)


def named_in(elements: tuple[StructureElement, ...]) -> list[StructureElement]:
    return [one for outer in elements for one in (outer, *named_in(outer.children))]


def test_the_forms_tell_less_and_less():
    assert ["\n".join(form(ALL, "python")) for form in FORMS] == [
        "3 LIMIT = 100\n10-40 class Worker(Base[int])\n 12-30 def run(self, limit: int = 3, *names: str) -> list[str]\n"
        " 32-40 def stop(self) -> None",
        "3 LIMIT\n10-40 Worker\n 12-30 run(self, limit, names)\n 32-40 stop(self)",
        "3 LIMIT\n10-40 Worker\n 12-30 run\n 32-40 stop",
        "3 LIMIT\n10-40 Worker (12 run, 32 stop)",
        "3 LIMIT, 10 Worker(12 run, 32 stop)",
        "3 LIMIT 10 Worker(12 run 32 stop)",
    ]


def test_a_row_of_names_that_end_with_digits_is_wrapped():
    numbered = [element(f"name_{at}", at) for at in range(1, 200)]
    lines = list(FORMS[-1](numbered, "python"))
    assert max(map(len, lines)) <= 100
    assert " ".join(lines) == row(numbered, " ")


@for_each("room", [1000, 40, 30, 20, 12])
def test_the_most_detailed_form_that_fits_is_taken(room: int):
    text = fitted(ALL, "python", room)
    richer = ["\n".join(form(ALL, "python")) for form in FORMS]
    richer = richer[: richer.index(text)]
    assert all(tokens_of(one) > room for one in richer)


@for_each(
    ("signature", "language", "names"),
    [
        ("def run(a, b: dict[str, int] = {}, *, key=lambda x: (x, 1)) -> int", "python", "(a, b, key)"),
        ("func run(ctx context.Context, name string) error", "go", "(ctx, name)"),
        ("static int run(const char *name, struct list **items)", "c", "(name, items)"),
        ("run(items: Array<Map<string, number>>, done?: () => void)", "typescript", "(items, done)"),
        ("fn run<'a>(&'a self, n: usize)", "rust", "(self, n)"),
        ("run()", "javascript", "()"),
        ("run = 3", "python", ""),
        ("public <T> List<T> run(Class<T> kind, int... sizes)", "java", "(kind, sizes)"),
    ],
)
def test_parameters_are_named_without_types_and_defaults(signature: str, language: str, names: str):
    assert parameters(element("run", 1, 1, signature), language) == names


def test_neighbours_of_one_name_share_it():
    assert row([element("size", 3), element("size", 9), element("at", 12)], ", ") == "3,9 size, 12 at"


def test_a_file_alone_loses_its_path_before_its_symbols():
    file = StructureFile("src/a/very/long/path/to/a/small_module.py", "python", 40, ALL, 75)
    assert outline(file).startswith("src/a/very/long")
    assert outline(file, alone=True) == "3 LIMIT, 10 Worker(12 run, 32 stop)"


def test_a_budget_below_the_share_of_the_file_is_kept():
    file = StructureFile("a.py", "python", 40, ALL, 100_000)
    assert "list[str]" in outline(file)
    assert tokens_of(outline(file, most=30)) <= 30


def random_elements(chance: Random, depth: int = 0, line: int = 1) -> tuple[StructureElement, ...]:
    made = []
    for _ in range(chance.randint(1, 8)):
        name = "".join(chance.choice("abcdefXYZ_") for _ in range(chance.randint(1, 12))) + str(chance.randint(0, 9))
        inside = random_elements(chance, depth + 1, line + 1) if depth < 2 and chance.random() < 0.4 else ()
        end = max((one.end_line for one in named_in(inside)), default=line + chance.randint(0, 30))
        made.append(element(name, line, end, f"def {name}(first, second: int)", *inside))
        line = end + chance.randint(1, 9)
    return tuple(made)


def test_every_name_stays_with_its_line_in_every_form():
    for seed in range(50):
        elements = random_elements(Random(seed))
        for form in FORMS:
            text = "\n".join(form(elements, "python"))
            for one in named_in(elements):
                assert re.search(rf"(?<!\d){one.start_line}\b[\d\s-]*\b.*{one.name}", text), (seed, one, text)


def test_an_outline_is_a_fifth_of_the_file_where_names_allow_it():
    assert SHARE == 5
    for seed in range(50):
        elements = random_elements(Random(seed))
        least = tokens_of("\n".join(FORMS[-1](elements, "python")))
        file = StructureFile("a.py", "python", 100, elements, least * SHARE + SHARE)
        assert tokens_of(outline(file, alone=True)) <= file.tokens // SHARE
