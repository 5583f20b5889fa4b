"""Seed 001 on ranking: a compound is one word, and the implementation comes before its test.

Every tree is small and whole: the code that answers, its test (which repeats the question's words more often, as tests
do), and neighbours that have the words apart. Asked through the operations, with the model that goes by spelling.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from tests.cases import for_each
from tests.conftest import isolate, make_state_dirs

PYTHON = {
    "src/shop/discount.py": '''\
"""Lower prices for members."""


def apply_discount(price: int, rate: float) -> int:
    """Return the price after the discount of a member."""
    if rate > 1:
        raise ValueError("the discount rate is above 1")
    return round(price * (1 - rate))
''',
    "tests/test_discount.py": '''\
"""The discount of a member."""

from shop.discount import apply_discount


def test_apply_discount_lowers_the_price_of_a_member():
    """Apply the discount to the price of a member."""
    assert apply_discount(100, 0.1) == 90


def test_apply_discount_refuses_a_rate_above_1():
    """Apply a discount whose rate is above 1."""
    apply_discount(100, 2)
''',
    "src/shop/price.py": "def format_price(price: int) -> str:\n    return f'{price} yen'\n",
    "docs/discount.md": "# Discount\n\nA member gets a discount on the price.\n",
}
TYPESCRIPT = {
    "src/cart/total.ts": """\
import { Item } from "./item";

/** Sum up the items of the cart. */
export function cartTotal(items: Item[]): number {
  return items.reduce((sum, item) => sum + item.price, 0);
}
""",
    "src/cart/total.test.ts": """\
import { cartTotal } from "./total";

describe("cartTotal", () => {
  it("sums up the items of the cart", () => {
    expect(cartTotal([{ price: 1 }, { price: 2 }])).toBe(3);
  });
  it("is 0 for a cart without items", () => {
    expect(cartTotal([])).toBe(0);
  });
});
""",
    "src/cart/item.ts": "export interface Item {\n  price: number;\n}\n",
}
GO = {
    "pkg/limit/limiter.go": """\
package limit

// Allow tells whether a request of the client is within the rate limit.
func Allow(client string, now int64) bool {
	return bucket(client).take(now)
}
""",
    "pkg/limit/limiter_test.go": """\
package limit

import "testing"

// The rate limit of a client.
func TestAllowRequestOfClientWithinRateLimit(t *testing.T) {
	if !Allow("client", 1) {
		t.Fatal("a request of the client within the rate limit is refused")
	}
}
""",
    "pkg/limit/bucket.go": "package limit\n\nfunc bucket(client string) *tokens {\n\treturn &tokens{}\n}\n",
}
JAVA = {
    "src/main/java/shop/InvoiceMailer.java": """\
package shop;

/** Sends the invoice of an order by mail. */
public class InvoiceMailer {
    public void sendInvoice(Order order) {
        mail.send(order.address(), render(order));
    }
}
""",
    "src/test/java/shop/InvoiceMailerTest.java": """\
package shop;

/** Sends the invoice of an order by mail. */
public class InvoiceMailerTest {
    @Test
    public void sendInvoiceSendsTheInvoiceOfAnOrderByMail() {
        new InvoiceMailer().sendInvoice(order);
    }
}
""",
    "src/main/java/shop/Order.java": "package shop;\n\npublic class Order {\n    String address;\n}\n",
}
TREES: Mapping[str, Mapping[str, str]] = {"python": PYTHON, "typescript": TYPESCRIPT, "go": GO, "java": JAVA}
QUESTIONS = [
    ("python", "apply the discount to the price of a member", "src/shop/discount.py"),
    ("python", "apply_discount", "src/shop/discount.py"),
    ("python", "where is a discount rate above 1 refused", "src/shop/discount.py"),
    ("typescript", "sum up the items of the cart", "src/cart/total.ts"),
    ("typescript", "cartTotal", "src/cart/total.ts"),
    ("go", "allow a request of a client within the rate limit", "pkg/limit/limiter.go"),
    ("go", "Allow", "pkg/limit/limiter.go"),
    ("java", "send the invoice of an order by mail", "src/main/java/shop/InvoiceMailer.java"),
    ("java", "sendInvoice", "src/main/java/shop/InvoiceMailer.java"),
]
TESTS = {
    "python": "tests/test_discount.py",
    "typescript": "src/cart/total.test.ts",
    "go": "pkg/limit/limiter_test.go",
    "java": "src/test/java/shop/InvoiceMailerTest.java",
}
ASKING_FOR_TESTS = "testfail"
PROFILES = ("default", "bugfix", "typeerror", "feature", "refactor")
BOOSTS = ("default", "docs", "balanced", "code")
"""Not ``none``: there the text alone decides, as seed 001 says."""
COMPOUND = {
    "src/store/accounts.py": '''\
"""Reads accounts."""


def load(key):
    """Read one row of the user_profile table."""
    return connection.execute("SELECT * FROM user_profile WHERE id = ?", key)
''',
    "src/user/profile.py": '''\
"""The user, and the profile of a user: a user has one profile."""


class Profile:
    """The profile of a user; a database query fills the profile of the user."""

    def query(self, user):
        """Query the database for the user of this profile, or the profile of this user."""
        return self.database.query(user)
''',
    "src/user/query.py": "def query_database(user, profile):\n    return database.query(user, profile)\n",
    "docs/user.md": "# User profile\n\nThe user profile is read by a database query. Every user has a profile.\n",
}


def written(base: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(text, "utf-8")
    return base


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Project]]:
    """Return the trees, open and indexed."""
    base = tmp_path_factory.mktemp("trees")
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            isolate(make_state_dirs(base / "own"), patch)
            projects = {
                name: stack.enter_context(open_workspace(written(base / name, files)))
                for name, files in {**TREES, "compound": COMPOUND}.items()
            }
            for project in projects.values():
                project.sync_index()
        yield projects


def paths(hits) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in hits))


def is_before(first: str, second: str, order: list[str]) -> bool:
    return first in order and (second not in order or order.index(first) < order.index(second))


def test_all_profiles_and_boosts_are_asked_for(trees):
    config = trees["python"].workspace.config.search
    assert set(config.profiles) == {*PROFILES, ASKING_FOR_TESTS}
    assert set(config.boosts) == {*BOOSTS, "none"}


@for_each(("tree", "question", "wanted"), QUESTIONS)
def test_the_implementation_comes_before_its_test_in_a_search(trees, tree: str, question: str, wanted: str):
    wrong = {}
    for profile in PROFILES:
        for boost in BOOSTS:
            for mode in ("lexical", "hybrid"):
                found = trees[tree].search(question, profile=profile, boost_profile=boost, mode=mode)
                order = paths(found.forest_hits)
                if not is_before(wanted, TESTS[tree], order):
                    wrong[profile, boost, mode] = order
    assert wrong == {}


@for_each(("tree", "question", "wanted"), QUESTIONS)
def test_the_implementation_comes_before_its_test_in_files_search(trees, tree: str, question: str, wanted: str):
    found = {boost: paths(trees[tree].files_search(question, boost_profile=boost).results) for boost in BOOSTS}
    assert {boost: order for boost, order in found.items() if not is_before(wanted, TESTS[tree], order)} == {}


@for_each(("tree", "question", "wanted"), QUESTIONS)
def test_the_implementation_comes_before_its_test_in_a_bundle(trees, tree: str, question: str, wanted: str):
    wrong = {}
    for profile in PROFILES:
        for boost in BOOSTS:
            found = trees[tree].context_bundle(question, profile=profile, boost_profile=boost)
            if not is_before(wanted, TESTS[tree], paths(found.context)):
                wrong[profile, boost] = paths(found.context)
    assert wrong == {}


@for_each(
    ("tree", "name"),
    [("python", "test_apply_discount_refuses_a_rate_above_1"), ("go", "TestAllowRequestOfClientWithinRateLimit")],
)
def test_the_name_of_a_test_shows_it_first_and_the_profile_for_tests_raises_it(trees, tree: str, name: str):
    assert paths(trees[tree].search(name).forest_hits)[0] == TESTS[tree]
    question = next(question for known, question, _ in QUESTIONS if known == tree)
    scores = [
        next(hit.score for hit in found.forest_hits if hit.path == TESTS[tree]) / found.forest_hits[0].score
        for found in (trees[tree].search(question, profile=profile) for profile in ("default", ASKING_FOR_TESTS))
    ]
    assert scores[0] < 0.6 < scores[1]


@for_each(
    "question", ["user_profile database query", "database query user_profile", "the user_profile query of the database"]
)
@for_each("mode", ["lexical", "hybrid"])
def test_what_contains_the_compound_comes_first(trees, question: str, mode: str):
    wrong = {}
    for profile in PROFILES:
        for boost in ("default", "balanced", "code"):  # docs asks for the document, none for the text alone
            found = trees["compound"].search(question, profile=profile, boost_profile=boost, mode=mode)
            if paths(found.forest_hits)[:1] != ["src/store/accounts.py"]:
                wrong[profile, boost] = paths(found.forest_hits)
    assert wrong == {}


def test_what_contains_the_compound_comes_first_in_files_search_and_in_a_bundle(trees):
    question, project = "user_profile database query", trees["compound"]
    assert paths(project.files_search(question).results)[0] == "src/store/accounts.py"
    assert paths(project.context_bundle(question).context)[0] == "src/store/accounts.py"


def test_the_compound_is_a_named_reason(trees):
    first = trees["compound"].search("user_profile database query", response_format="detailed").forest_hits[0]
    assert any("user_profile" in str(reason) for reason in first.why)
