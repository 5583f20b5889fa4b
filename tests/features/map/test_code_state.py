import pytest

from shirube import Project, open_workspace
from shirube.codec import replace
from shirube.errors import BadArgument, UnknownName
from shirube.features.map.agreement import CONVENTION, Agreement
from shirube.features.map.code_state import IndexedCode, bind, definitions_of
from tests.conftest import needs_git
from tests.features.mapped import PAYMENT, git


@pytest.fixture
def code(shop: Project) -> IndexedCode:
    return IndexedCode(shop.workspace)


def test_definitions_are_found_by_name_and_by_qualified_name(code: IndexedCode):
    assert [path for path, _ in definitions_of(code, "checkout")] == [PAYMENT]
    assert definitions_of(code, "PaymentGateway.refund")[0][1].qualified == "PaymentGateway.refund"
    assert definitions_of(code, "Other.refund") == []
    assert definitions_of(code, "checkout", "src/shop/retry.py") == []


def test_an_agreement_is_bound_to_symbol_file_digest_and_commit(shop: Project, code: IndexedCode):
    bound = bind(shop.workspace, Agreement("会計", "checkout"), code)
    assert bound.path == PAYMENT
    assert bound.line > 1
    assert len(bound.digest) == 32
    assert bound.sketch
    assert bound.commit == ""  # the sample is no repository
    assert bind(shop.workspace, Agreement("x", doc_type=CONVENTION), code) == Agreement("x", doc_type=CONVENTION)


def test_a_symbol_that_is_not_there_is_refused_and_the_nearest_named(shop: Project, code: IndexedCode):
    with pytest.raises(UnknownName) as caught:
        bind(shop.workspace, Agreement("x", "chekout", path=PAYMENT), code)
    assert caught.value.nearest == "checkout"


def test_a_name_that_several_files_define_is_refused(sample_repo):
    (sample_repo / "src/shop/other.py").write_text("def checkout():\n    return 1\n")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        code = IndexedCode(project.workspace)
        with pytest.raises(BadArgument, match="2 files") as caught:
            bind(project.workspace, Agreement("x", "checkout"), code)
        assert "path" in caught.value.hint
        assert bind(project.workspace, Agreement("x", "checkout", path="src/shop/other.py"), code).line == 1


def test_a_test_that_is_named_after_a_symbol_does_not_define_it_too(sample_repo):
    (sample_repo / "web/checkout.test.ts").write_text("describe('priceTag', () => {});\n")
    (sample_repo / "web/total.ts").write_text("export function priceTag() {}\n")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        bound = bind(project.workspace, Agreement("x", "priceTag"), IndexedCode(project.workspace))
        assert bound.path == "web/total.ts"


def test_other_files_of_the_language_come_nearest_first(code: IndexedCode):
    others = list(code.elsewhere(PAYMENT))
    assert others[:2] == ["src/shop/__init__.py", "src/shop/retry.py"]
    assert "web/cart.ts" not in others
    assert "web/price.ts" in list(code.elsewhere("web/gone.ts"))


@needs_git
def test_git_tells_what_a_file_defined_at_a_commit(sample_repo):
    git(sample_repo, "init", "-q")
    git(sample_repo, "add", "-A")
    git(sample_repo, "commit", "-qm", "one")
    with open_workspace(sample_repo) as project:
        project.sync_index()
        head = project.workspace.head()
        code = IndexedCode(project.workspace)
        assert "PaymentGateway.refund" in (code.before(PAYMENT, head) or ())
        assert code.before("src/shop/new.py", head) == frozenset()
        assert code.before(PAYMENT, "0" * 40) is None
        assert code.before(PAYMENT, "--help") is None
        assert replace(Agreement("x", "checkout"), commit=head).commit == head
