"""The operations of group ``symbols``: what each takes, and what it answers."""

from typing import Annotated

from shirube.codec import Arg, Record
from shirube.engine.graph.closure import Direction
from shirube.features.lookup import symbol_results as results
from shirube.operation import Context, operation


class DepsRequest(Record):
    """What ``deps_closure`` takes."""

    path: Annotated[str, Arg("A file of the project.", also="file file_path", usage="FILE")]
    direction: Annotated[Direction, Arg("outbound: what it uses; inbound: who uses it; both.")] = Direction.OUTBOUND
    max_depth: Annotated[int, Arg("How many steps.", also="depth", low=1, high=20)] = 3
    include_packages: Annotated[
        bool, Arg("false: only files of the project, no packages.", also="packages", usage="--no-packages", rare=True)
    ] = True
    limit: Annotated[
        int, Arg("How many nodes; the nearest first.", also="max_nodes", low=1, high=5000, usage="--limit N", rare=True)
    ] = 100
    format: Annotated[results.DrawingFormat, Arg("dot or mermaid: also a drawing.", rare=True)] = (
        results.DrawingFormat.GRAPH
    )
    history: Annotated[
        bool, Arg("Also what usually changes together with it in git.", usage="--history", rare=True)
    ] = False


@operation(DepsRequest, "symbols", command="deps {path}")
def deps_closure(project: Context, asked: DepsRequest) -> results.DepsResult:
    """What does this file use, and who uses it? Files and packages step by step, either way or both; users with
    the line of their import.
    """
    from shirube.features.lookup.references import deps_closure as answer

    return answer(project.workspace, asked, project.call)


class DefinitionsRequest(Record):
    """What ``find_definitions`` takes."""

    symbol: Annotated[str, Arg("A name: start, Session.start, Foo::bar.", also="name query symbol_name", usage="NAME")]
    path: Annotated[str, Arg("Only below this directory, file or glob.", usage="--path GLOB")] = ""
    language: Annotated[
        tuple[str, ...], Arg("Only these languages.", also="languages lang file_type", usage="--lang L", rare=True)
    ] = ()
    kind: Annotated[str, Arg("Only this kind: function, class, …", usage="--kind K", rare=True)] = ""
    exact_match: Annotated[
        bool, Arg("true: no name that merely looks like it.", also="exact", usage="--exact", rare=True)
    ] = False
    limit: Annotated[int, Arg("How many.", low=1, high=500, usage="-k --limit N", rare=True)] = 50
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", usage="--cursor TOKEN", rare=True)] = ""


@operation(DefinitionsRequest, "symbols", command="defs {symbol}")
def find_definitions(project: Context, asked: DefinitionsRequest) -> results.DefinitionsResult:
    """Where is this symbol defined? File, line, kind, scope and signature; qualified names narrow it."""
    from shirube.features.lookup.symbols import find_definitions as answer

    return answer(project.workspace, asked, project.call)


class ReferencesRequest(Record):
    """What ``find_references`` takes."""

    symbol: Annotated[str, Arg("A name: start, Session.start, Foo::bar.", also="name query symbol_name", usage="NAME")]
    path: Annotated[str, Arg("Only references below this directory or glob.", usage="--path GLOB")] = ""
    language: Annotated[
        tuple[str, ...], Arg("Only in these languages.", also="languages lang file_type", usage="--lang L", rare=True)
    ] = ()
    defined_in: Annotated[str, Arg("The file that defines the one you mean.", usage="--in FILE")] = ""
    prose: Annotated[bool, Arg("false: no comments, strings and documents.", usage="--code", rare=True)] = True
    limit: Annotated[int, Arg("How many.", also="max_results", low=1, high=1000, usage="-k --limit N", rare=True)] = 50
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", usage="--cursor TOKEN", rare=True)] = ""


@operation(ReferencesRequest, "symbols", command="refs {symbol} --in {defined_in}")
def find_references(project: Context, asked: ReferencesRequest) -> results.ReferencesResult:
    """Who uses this symbol? Every use with confidence and how it was found: import_resolved, same_file or
    name_only; comments and strings marked, definitions left out.
    """
    from shirube.features.lookup.references import find_references as answer

    return answer(project.workspace, asked, project.call)


class SymbolRequest(Record):
    """What ``symbol`` takes."""

    symbol: Annotated[str, Arg("A name: start, Session.start, Foo::bar.", also="name query symbol_name", usage="NAME")]
    path: Annotated[
        str,
        Arg("Where the one you mean is defined: a file, directory or glob.", also="defined_in", usage="--path GLOB"),
    ] = ""
    limit: Annotated[int, Arg("How many uses.", also="max_results", low=1, high=1000, usage="-k --limit N")] = 100
    cursor: Annotated[str, Arg("next_cursor of the previous answer: further uses.", usage="--cursor TOKEN")] = ""


@operation(SymbolRequest, "symbols", tool="symbol", tokens=900, command="symbol {symbol}")
def symbol(project: Context, asked: SymbolRequest) -> results.SymbolResult:
    """Where is this symbol defined, and who uses it? Its code, other definitions, and each use by file and line,
    surest first.
    """
    from shirube.features.lookup.references import symbol as answer

    defined = DefinitionsRequest(asked.symbol, path=asked.path)
    used = ReferencesRequest(asked.symbol, defined_in=asked.path, limit=asked.limit, cursor=asked.cursor)
    return answer(project.workspace, defined, used, project.call)


class SymbolsRequest(Record):
    """What ``get_symbols`` takes."""

    path: Annotated[str, Arg("A file, a directory or a glob.", also="file_path file")]
    kind: Annotated[str, Arg("Only this kind: function, class, method, …", also="symbol_type type")] = ""
    language: Annotated[tuple[str, ...], Arg("Only these languages.", also="languages lang file_type", rare=True)] = ()
    limit: Annotated[int, Arg("How many.", low=1, high=2000, rare=True)] = 200
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", rare=True)] = ""


@operation(SymbolsRequest, "symbols")
def get_symbols(project: Context, asked: SymbolsRequest) -> results.SymbolsResult:
    """What does this file or directory define? Every symbol with its lines and signature."""
    from shirube.features.lookup.symbols import get_symbols as answer

    return answer(project.workspace, asked, project.call)


class StructureRequest(Record):
    """What ``analyze_structure`` takes."""

    path: Annotated[str, Arg("A file, a directory or a glob.", also="file_path file directory")] = "."
    limit: Annotated[int, Arg("How many files.", low=1, high=500, usage="-k --limit N", rare=True)] = 50
    cursor: Annotated[str, Arg("next_cursor of the previous answer.", usage="--cursor TOKEN")] = ""


@operation(StructureRequest, "symbols", tool="outline", tokens=2000, command="outline {path}")
def analyze_structure(project: Context, asked: StructureRequest) -> results.StructureResult:
    """What is in this file or directory? All its symbols with their lines, for a fraction of its tokens."""
    from shirube.features.lookup.symbols import analyze_structure as answer

    return answer(project.workspace, asked, project.call)


class LineRequest(Record):
    """What ``get_function_at_line`` takes."""

    file_path: Annotated[str, Arg("The file.", also="file path")]
    line: Annotated[int, Arg("The line, counted from 1.", also="line_number", low=1)]


@operation(LineRequest, "symbols", command="at {file_path}:{line}")
def get_function_at_line(project: Context, asked: LineRequest) -> results.LineResult:
    """Which function is around this line? Its name, lines and text."""
    from shirube.features.lookup.symbols import get_function_at_line as answer

    return answer(project.workspace, asked, project.call)


class ImpactRequest(Record):
    """What ``analyze_impact`` takes."""

    files: Annotated[
        tuple[str, ...], Arg("Files about to change.", also="target_files paths path file", usage="FILE")
    ] = ()
    symbols: Annotated[
        tuple[str, ...], Arg("Symbols about to change: Session.start.", also="symbol", usage="-s --symbol NAME")
    ] = ()
    change_description: Annotated[
        str, Arg("What will change, in words; only files and symbols decide the answer.", also="description", rare=True)
    ] = ""
    limit: Annotated[int, Arg("How many entries in each list.", low=1, high=500, usage="-k --limit N", rare=True)] = 50


@operation(ImpactRequest, "symbols", tool="impact", tokens=800, command="impact {files}")
def analyze_impact(project: Context, asked: ImpactRequest) -> results.ImpactResult:
    """What would a change of these files or symbols touch? Callers, tests, documents, and files that changed with
    them before: what must be checked, what should be.
    """
    from shirube.features.lookup.references import analyze_impact as answer

    return answer(project.workspace, asked, project.call)


class SymbolsMethods:
    """These operations as methods of a project."""

    deps_closure = deps_closure
    symbol = symbol
    find_definitions = find_definitions
    find_references = find_references
    get_symbols = get_symbols
    analyze_structure = analyze_structure
    get_function_at_line = get_function_at_line
    analyze_impact = analyze_impact
