"""The operations of group ``search``: what each takes, and what it answers."""

from typing import Annotated

from shirube.codec import Arg, Record, replace
from shirube.features.lookup import results
from shirube.features.map.results import MapResult
from shirube.operation import Context, operation
from shirube.types import Mode

SEARCH_TOKENS = 600
"""The size of an answer where the caller sets none; chosen by ``benchmarks/agent``."""


class SearchRequest(Record):
    """What ``search`` takes."""

    query: Annotated[
        str,
        Arg(
            'Words, symbol, question, "phrase", tool output; English, Japanese; lang: path: kind:.',
            high=400000,
            usage="QUERY…",
        ),
    ]
    limit: Annotated[
        int | None,
        Arg("How many hits (default 10).", also="top_k k n_results", low=1, high=100, usage="-k --limit N", rare=True),
    ] = None
    skip: Annotated[int, Arg("Go on: leave out so many of the best places.", low=0, high=10000, usage="--skip N")] = 0
    mode: Annotated[Mode, Arg("Which legs take part; auto chooses.", usage="--mode", rare=True)] = Mode.AUTO
    profile: Annotated[
        str, Arg("What for: default, bugfix, testfail, typeerror, feature, refactor.", usage="--profile P", rare=True)
    ] = ""
    boost_profile: Annotated[
        str, Arg("Files first: default, docs, balanced, code, none.", usage="--boost-profile B", rare=True)
    ] = ""
    path: Annotated[
        str, Arg("Only below this directory or glob (src/**, *.py).", also="path_prefix", usage="--path GLOB")
    ] = ""
    languages: Annotated[
        tuple[str, ...], Arg("Only these languages (python, typescript, …).", also="language lang", usage="--lang L")
    ] = ()
    kinds: Annotated[
        tuple[str, ...], Arg("Only these kinds of symbol (function, class, section, …).", usage="--kind K", rare=True)
    ] = ()
    editing: Annotated[
        tuple[str, ...],
        Arg(
            "Files at hand: what they import, resemble or change with gains.",
            also="editing_path",
            usage="--editing FILE",
            rare=True,
        ),
    ] = ()
    response_format: Annotated[
        results.ResponseFormat, Arg("concise: first lines of each hit; detailed: all of it.", rare=True)
    ] = results.ResponseFormat.CONCISE
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", usage="--cursor TOKEN", rare=True)] = ""
    plan_id: Annotated[str, Arg("The plan it belongs to.", rare=True)] = ""
    expected_keywords: Annotated[tuple[str, ...], Arg("Words to judge the hits by.", rare=True)] = ()
    evaluate_result: Annotated[bool, Arg("Judge the hits.", rare=True)] = False
    explain: Annotated[bool, Arg("Show scores with their reasons.", rare=True, usage="--why")] = False


@operation(SearchRequest, "search", tool="search", tokens=SEARCH_TOKENS, command="search {query}")
def search(project: Context, asked: SearchRequest) -> results.SearchResult:
    """Where is the code for this? Takes a question, words, a symbol or a pasted error, in English or Japanese.
    Shows the code of the best places, names others as path:start-end, and says how sure it is.
    """
    from shirube.features.lookup.search import search as answer

    return answer(project.workspace, asked, project.call)


class GistdexQueryRequest(SearchRequest):
    """What seed 002's ``gistdex_query`` takes: a search, with that program's arguments listed."""

    limit: Annotated[int | None, Arg("How many hits (default 10).", also="k", low=1, high=100)] = None
    hybrid: Annotated[bool | None, Arg("true: by words and meaning; false: by meaning alone.")] = None
    plan_id: Annotated[str, Arg("The plan it belongs to.")] = ""
    expected_keywords: Annotated[tuple[str, ...], Arg("Words to judge the hits by.")] = ()
    evaluate_result: Annotated[bool, Arg("Judge the hits.")] = False


def gistdex_query(project: Context, asked: GistdexQueryRequest) -> results.SearchResult:
    """Answer that tool by ``search``."""
    modes = {True: Mode.HYBRID, False: Mode.DENSE, None: asked.mode}
    return search.function(project, replace(asked, mode=modes[asked.hybrid]))


class FilesRequest(Record):
    """What ``files_search`` takes."""

    query: Annotated[str, Arg("Words, symbol, question, tool output.", high=400000)]
    lang: Annotated[str, Arg("Only this language.", also="language")] = ""
    ext: Annotated[str, Arg("Only files with this ending (.py).")] = ""
    path_prefix: Annotated[str, Arg("Only below this directory.", also="path")] = ""
    limit: Annotated[int, Arg("How many files.", also="top_k k", low=1, high=200)] = 50
    profile: Annotated[str, Arg("What for: default, bugfix, testfail, typeerror, feature, refactor.", rare=True)] = ""
    boost_profile: Annotated[str, Arg("Files first: default, docs, balanced, code, none.", rare=True)] = ""
    compact: Annotated[bool, Arg("Leave the previews out.", rare=True)] = True
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", rare=True)] = ""
    tags: Annotated[tuple[str, ...], Arg("Only documents with these tags.", also="tag", rare=True)] = ()


@operation(FilesRequest, "search", containers=("metadata_filters",))
def files_search(project: Context, asked: FilesRequest) -> results.FilesResult:
    """Which files are about this? Ranked paths, each with the line that matches best."""
    from shirube.features.lookup.search import files_search as answer

    return answer(project.workspace, asked, project.call)


class TextRequest(Record):
    """What ``search_text`` takes."""

    patterns: Annotated[
        tuple[str, ...], Arg("1 to 5 texts; a line with any of them matches.", also="pattern query", usage="PATTERN")
    ]
    regex: Annotated[
        bool,
        Arg(
            "Read them as regular expressions (RE2: no lookaround, no backreferences).",
            also="is_regex",
            usage="-E --regex",
        ),
    ] = False
    case_sensitive: Annotated[
        bool, Arg("false: capitals and small letters are the same.", usage="-i --ignore-case")
    ] = True
    word: Annotated[bool, Arg("Whole words only.", also="whole_word", usage="-w --word", rare=True)] = False
    path: Annotated[str, Arg("Only below this directory or glob.", also="path_prefix glob", usage="--path GLOB")] = ""
    languages: Annotated[
        tuple[str, ...],
        Arg("Only these languages (python, ts, …).", also="file_type language lang", usage="--lang L", rare=True),
    ] = ()
    context_lines: Annotated[
        int, Arg("Lines shown before and after.", also="context", low=0, high=10, usage="-C --context N")
    ] = 0
    limit: Annotated[
        int, Arg("How many lines.", also="max_results", low=1, high=1000, usage="-k --limit N", rare=True)
    ] = 50
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", usage="--cursor TOKEN")] = ""


@operation(TextRequest, "search", tool="grep", tokens=800, command="grep {patterns}")
def search_text(project: Context, asked: TextRequest) -> results.TextResult:
    """On which lines does this exact text or regular expression stand? Every match, in the files as they are now."""
    from shirube.features.lookup.grep import search_text as answer

    return answer(project.workspace, asked, project.call)


class BundleRequest(Record):
    """What ``context_bundle`` takes; the names are seed 001's, which sent the last four in ``artifacts``."""

    goal: Annotated[
        str,
        Arg(
            "What is to be done, in English or Japanese; output may be pasted in.",
            also="query",
            high=400000,
            usage="GOAL…",
        ),
    ]
    editing_path: Annotated[
        tuple[str, ...], Arg("Files at hand.", also="editing editing_paths", usage="--editing FILE")
    ] = ()
    failing_tests: Annotated[
        tuple[str, ...],
        Arg(
            "Names of failing tests, or what the run printed.",
            also="failing_test",
            high=400000,
            usage="--failing-test T",
        ),
    ] = ()
    last_diff: Annotated[
        str, Arg("A unified diff (git diff), done or to be done.", also="diff", high=400000, usage="--diff FILE")
    ] = ""
    hints: Annotated[
        tuple[str, ...],
        Arg(
            "Paths, symbols, words, a diff, compiler or type-checker output.",
            also="hint",
            high=400000,
            usage="--hint H",
        ),
    ] = ()
    budget: Annotated[
        int | None,
        Arg(
            "Tokens to fill (default 4000).",
            also="token_budget max_tokens",
            low=1,
            high=1000000,
            usage="--budget TOKENS",
        ),
    ] = None
    limit: Annotated[int | None, Arg("How many snippets (default: what fits).", low=1, high=200, rare=True)] = None
    profile: Annotated[
        str,
        Arg(
            "What for: bugfix, testfail, typeerror, feature, refactor; else by the artifacts.",
            usage="--profile P",
            rare=True,
        ),
    ] = ""
    boost_profile: Annotated[
        str, Arg("Files first: default, docs, balanced, code, none.", usage="--boost-profile B", rare=True)
    ] = ""
    path: Annotated[
        str, Arg("Only below this directory or glob.", also="path_prefix", usage="--path GLOB", rare=True)
    ] = ""
    tags: Annotated[tuple[str, ...], Arg("Only documents with these tags.", also="tag", rare=True)] = ()
    compact: Annotated[bool, Arg("Leave the lines out.", usage="--compact", rare=True)] = False
    past: Annotated[
        int, Arg("Also so many past commits like it.", also="past_changes", low=0, high=20, usage="--past N", rare=True)
    ] = 0
    explain: Annotated[bool, Arg("Show the reasons of each.", also="include_why", rare=True)] = False


@operation(
    BundleRequest,
    "search",
    tool="context",
    containers=("artifacts", "metadata_filters"),
    needless=("include_tokens_estimate",),
    command="context {goal}",
)
def context_bundle(project: Context, asked: BundleRequest) -> results.BundleResult:
    """What must I read to do this? Gathers the code that matters for a task into a budget of tokens; give it failing
    tests, a diff, error output or open files if there are any.
    """
    from shirube.features.lookup.bundle import context_bundle as answer

    return answer(project.workspace, asked, project.call)


class SnippetRequest(Record):
    """What ``snippets_get`` takes."""

    path: Annotated[str, Arg("A file of the project.", also="file file_path")]
    start_line: Annotated[
        int | None, Arg("First line; without end_line: the symbol around it.", also="line line_number", low=1)
    ] = None
    end_line: Annotated[int | None, Arg("Last line.", low=1)] = None
    view: Annotated[results.SnippetView, Arg("lines, symbol, outline, full; auto chooses.", rare=True)] = (
        results.SnippetView.AUTO
    )
    include_line_numbers: Annotated[bool, Arg("Number the lines.", rare=True)] = False
    compact: Annotated[bool, Arg("Leave the text out.", rare=True)] = False


@operation(SnippetRequest, "search", tool="read", tokens=2000, command="at {path}:{start_line}")
def snippets_get(project: Context, asked: SnippetRequest) -> results.SnippetResult:
    """What stands at this place? The whole symbol around a line, some lines, or a small file."""
    from shirube.features.lookup.bundle import snippets_get as answer

    return answer(project.workspace, asked, project.call)


class PastChangesRequest(Record):
    """What ``past_changes`` takes."""

    goal: Annotated[
        str, Arg("What is to be done, in English or Japanese.", also="query", high=400000, usage="GOAL…")
    ] = ""
    limit: Annotated[int, Arg("How many commits.", also="top_k k", low=1, high=50, usage="-k --limit N")] = 5
    path: Annotated[
        str,
        Arg(
            "Only commits that changed files below this directory, or matching this glob.",
            also="path_prefix",
            usage="--path GLOB",
        ),
    ] = ""
    diff: Annotated[bool, Arg("With the diff of each, cut to fit.", usage="--diff")] = False
    commit: Annotated[str, Arg("Only this commit, by its hash, with its diff.", also="hash", usage="--commit HASH")] = (
        ""
    )


@operation(PastChangesRequest, "search", command="past {goal}")
def past_changes(project: Context, asked: PastChangesRequest) -> results.PastChangesResult:
    """How was something like this done here before? The past commits most like a goal: message, date, files,
    symbols, and the diff on request.
    """
    from shirube.features.lookup.past_changes import past_changes as answer

    return answer(project.workspace, asked, project.call)


@operation(SearchRequest, "search")
def search_forest(project: Context, asked: SearchRequest) -> results.SearchResult:
    """Where is it in the code itself, whatever was agreed about it? Like search, without the map."""
    from shirube.features.lookup.search import search_forest as answer

    return answer(project.workspace, asked, project.call)


class Offered(Record):
    """A file, and what it was worth to whoever found it."""

    path: Annotated[str, Arg("A file of the project.")]
    score: Annotated[float, Arg("Its score so far.")] = 0.0


class RerankRequest(Record):
    """What ``semantic_rerank`` takes."""

    text: Annotated[str, Arg("What the files are to be about.")]
    candidates: Annotated[tuple[Offered, ...], Arg("1 to 50 files, each {path, score?}.")]
    k: Annotated[int | None, Arg("How many to return (default: all).", low=1, high=50)] = None
    profile: Annotated[str, Arg("Whose weight of likeness counts: default, bugfix, testfail, …")] = ""


@operation(RerankRequest, "search")
def semantic_rerank(project: Context, asked: RerankRequest) -> results.RerankResult:
    """Which of these files mean what this text says? The same files in a new order."""
    from shirube.features.lookup.search import semantic_rerank as answer

    return answer(project.workspace, asked, project.call)


class MapRequest(Record):
    """What ``search_map`` takes."""

    query: Annotated[
        str, Arg("Words people use for something, a question, or a symbol; English or Japanese.", usage="WORDS…")
    ]
    limit: Annotated[
        int, Arg("How many agreements.", also="n_results top_k k", low=1, high=50, usage="-k --limit N")
    ] = 5


@operation(MapRequest, "search", command="map search {query}")
def search_map(project: Context, asked: MapRequest) -> MapResult:
    """What was agreed about these words before? Confirmed terms and conventions, with the code they lead to and
    whether it still stands.
    """
    from shirube.features.map.answers import search_map as answer

    return answer(project.workspace, asked, project.call)


class SemanticSearchRequest(Record):
    """What ``semantic_search`` takes."""

    query: Annotated[str, Arg("What is meant, in English or Japanese.")]
    collection: Annotated[results.SearchedCollection, Arg("auto: the map first, then the forest; map; forest.")] = (
        results.SearchedCollection.AUTO
    )
    target_feature: Annotated[
        str, Arg("What the request is about, if that is known: asked together with the query.")
    ] = ""
    path: Annotated[str, Arg("Only below this directory, or paths matching this glob.")] = ""
    n_results: Annotated[int | None, Arg("How many hits (default 10).", also="limit top_k k", low=1, high=100)] = None


@operation(SemanticSearchRequest, "search")
def semantic_search(project: Context, asked: SemanticSearchRequest) -> results.SearchResult:
    """What means the same as this, in the map of agreements or in the forest of code? By sense rather than by
    words; the map answers first unless a collection is named.
    """
    from shirube.features.lookup.search import semantic_search as answer

    return answer(project.workspace, asked, project.call)


class SearchMethods:
    """These operations as methods of a project."""

    search = search
    files_search = files_search
    search_text = search_text
    context_bundle = context_bundle
    snippets_get = snippets_get
    past_changes = past_changes
    search_forest = search_forest
    semantic_rerank = semantic_rerank
    search_map = search_map
    semantic_search = semantic_search
