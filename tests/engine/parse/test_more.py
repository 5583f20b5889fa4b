"""Symbols and imports of Scala, Swift, Lua, Elixir, Haskell, Zig and Bash."""

from tests.cases import for_each
from tests.engine.parse.samples import check_broken, check_doc, imported, placed, read

from shirube.engine.parse.file import parse_file

SCALA = """\
package com.example.shop

import scala.collection.mutable
import java.util.{List => JList, Map}
import a.b, c.d.E
import e.f._
// 注文
class Order(val id: Int) {
  private val items = mutable.Buffer[String]()
  def this(id: Int, first: String) = this(id)
  def total(rate: Double): Double = {
    val local = 1
    local * rate
  }
  type Key = Int
}
case class Item(name: String)
trait Priced { def price: Int }
object Order {
  val Limit = 10
}
enum Color {
  case Red, Green
  def paint = 1
}
given byName: Ordering[Item] with {
  def compare(a: Item, b: Item) = 0
}
package object util { def half(x: Int) = x / 2 }
val version = 3
"""

SWIFT = """\
import Foundation
@testable import class UIKit.UIView

/// 会員
public class Member: Person {
  let id: Int
  static var shared, other: Member
  init(id: Int) {
    let local = id
    self.id = local
  }
  func greet(_ name: String) -> String { return name }
  deinit { }
  typealias Key = Int
}
struct Point<T> { var x: T }
enum Side { case left, right
  func flip() -> Side { .left }
}
protocol Shape {
  associatedtype Unit
  var area: Double { get }
  func draw()
}
extension Member: Shape {
  func draw() {}
}
actor Counter {}
let limit = 3
var current = 0
func main() async throws {}
"""

LUA = """\
-- 設定
local json = require("json")
local util = require 'app.util'
local M = {}
M.version = "1"
local LIMIT = 10

function M.load(path)
  local cache = {}
  return cache
end

function M:save() end
local function hidden() end
M.reset = function() end
local handlers = {
  click = function() end,
  depth = 3,
}
local ok = pcall(require, "optional")
on("event", { callback = function() end })
return M
"""

ELIXIR = """\
defmodule App.Cart do
  use GenServer
  alias App.{Item, Price}
  import Ecto.Query, only: [from: 2]
  @behaviour App.Store
  @moduledoc "かご"
  @limit 5
  @type t :: %__MODULE__{}
  @callback size(t) :: integer
  defstruct [:items]

  # 追加
  def add(cart, item) when is_map(item) do
    local = item
    local
  end

  defp count(cart), do: 1
  def empty, do: %{}
  defmacro trace(x), do: x

  defmodule Line do
    def a <> b, do: a
  end
end

defprotocol Size do
  def size(x)
end

defimpl Size, for: BitString do
  def size(x), do: 1
end

defmodule CartTest do
  describe "adding" do
    test "one item" do
      assert 1
    end
  end
end
"""

HASKELL = """\
module Data.Shop (total, Item(..)) where

import Data.List
import qualified Data.Map as M
import Data.Maybe (fromMaybe, Maybe(..), (<|>))
import Prelude hiding (lookup)

-- 合計
total :: Int -> Int
total 0 = 1
total n = go n
  where
    go x = x

half x = x

(<+>) :: Int -> Int -> Int
a <+> b = a

data Item = Book | Pen { ink :: Int }
newtype Wrap a = Wrap a
type Name = String
class Priced a where
  price :: a -> Int
instance Priced Item where
  price _ = 1
"""

ZIG = """\
const std = @import("std");
const Other = @import("other.zig").Other;

/// 点
pub const Point = struct {
    x: f32,
    const zero = 0;
    pub fn init(x: f32) Point {
        const local = x;
        return .{ .x = local };
    }
};
const Side = enum { left, right };
const Value = union(enum) { i: i32 };
const Bad = error{ A, B };
pub const LIMIT: usize = 10;
var counter: u32 = 0;
fn main() void {}
test "moves" {}
"""

BASH = """\
#!/usr/bin/env bash
source ./lib.sh
. "${DIR}/common.sh"
# 変数
ROOT=/srv
export NAME="x"
readonly -a LIST=(1 2)

build() {
  local out=1
  temp=2
}
function clean { echo; }
PATH=$PATH:/x run
"""

SYMBOLS = {
    "scala": [
        ("class", "Order", 8, 16),
        ("field", "Order.items", 9, 9),
        ("constructor", "Order.this", 10, 10),
        ("method", "Order.total", 11, 14),
        ("type", "Order.Key", 15, 15),
        ("class", "Item", 17, 17),
        ("trait", "Priced", 18, 18),
        ("method", "Priced.price", 18, 18),
        ("object", "Order", 19, 21),
        ("field", "Order.Limit", 20, 20),
        ("enum", "Color", 22, 25),
        ("method", "Color.paint", 24, 24),
        ("object", "byName", 26, 28),
        ("method", "byName.compare", 27, 27),
        ("object", "util", 29, 29),
        ("method", "util.half", 29, 29),
        ("constant", "version", 30, 30),
    ],
    "swift": [
        ("class", "Member", 5, 15),
        ("property", "Member.id", 6, 6),
        ("property", "Member.shared", 7, 7),
        ("property", "Member.other", 7, 7),
        ("constructor", "Member.init", 8, 11),
        ("method", "Member.greet", 12, 12),
        ("method", "Member.deinit", 13, 13),
        ("type", "Member.Key", 14, 14),
        ("struct", "Point", 16, 16),
        ("property", "Point.x", 16, 16),
        ("enum", "Side", 17, 19),
        ("method", "Side.flip", 18, 18),
        ("protocol", "Shape", 20, 24),
        ("type", "Shape.Unit", 21, 21),
        ("property", "Shape.area", 22, 22),
        ("method", "Shape.draw", 23, 23),
        ("impl", "Member", 25, 27),
        ("method", "Member.draw", 26, 26),
        ("class", "Counter", 28, 28),
        ("constant", "limit", 29, 29),
        ("variable", "current", 30, 30),
        ("function", "main", 31, 31),
    ],
    "lua": [
        ("object", "M", 4, 4),
        ("variable", "M.version", 5, 5),
        ("variable", "LIMIT", 6, 6),
        ("method", "M.load", 8, 11),
        ("method", "M.save", 13, 13),
        ("function", "hidden", 14, 14),
        ("method", "M.reset", 15, 15),
        ("object", "handlers", 16, 19),
        ("method", "handlers.click", 17, 17),
    ],
    "elixir": [
        ("module", "App.Cart", 1, 25),
        ("constant", "App.Cart.limit", 7, 7),
        ("type", "App.Cart.t", 8, 8),
        ("function", "App.Cart.size", 9, 9),
        ("struct", "App.Cart.defstruct", 10, 10),
        ("function", "App.Cart.add", 13, 16),
        ("function", "App.Cart.count", 18, 18),
        ("function", "App.Cart.empty", 19, 19),
        ("macro", "App.Cart.trace", 20, 20),
        ("module", "App.Cart.Line", 22, 24),
        ("function", "App.Cart.Line.<>", 23, 23),
        ("protocol", "Size", 27, 29),
        ("method", "Size.size", 28, 28),
        ("impl", "BitString.Size", 31, 33),
        ("method", "BitString.Size.size", 32, 32),
        ("module", "CartTest", 35, 41),
        ("section", "CartTest.adding", 36, 40),
        ("test", "CartTest.adding.one item", 37, 39),
    ],
    "haskell": [
        ("module", "Data.Shop", 1, 1),
        ("function", "total", 9, 13),
        ("function", "half", 15, 15),
        ("function", "<+>", 17, 18),
        ("type", "Item", 20, 20),
        ("constructor", "Item.Book", 20, 20),
        ("constructor", "Item.Pen", 20, 20),
        ("field", "Item.Pen.ink", 20, 20),
        ("type", "Wrap", 21, 21),
        ("constructor", "Wrap.Wrap", 21, 21),
        ("type", "Name", 22, 22),
        ("class", "Priced", 23, 24),
        ("method", "Priced.price", 24, 24),
        ("impl", "Item.Priced", 25, 26),
        ("method", "Item.Priced.price", 26, 26),
    ],
    "zig": [
        ("struct", "Point", 5, 12),
        ("constant", "Point.zero", 7, 7),
        ("method", "Point.init", 8, 11),
        ("enum", "Side", 13, 13),
        ("struct", "Value", 14, 14),
        ("enum", "Bad", 15, 15),
        ("constant", "LIMIT", 16, 16),
        ("variable", "counter", 17, 17),
        ("function", "main", 18, 18),
        ("test", "moves", 19, 19),
    ],
    "bash": [
        ("variable", "ROOT", 5, 5),
        ("variable", "NAME", 6, 6),
        ("variable", "LIST", 7, 7),
        ("function", "build", 9, 12),
        ("function", "clean", 13, 13),
    ],
}

IMPORTS = {
    "scala": [
        ("scala.collection.mutable", 3, ()),
        ("java.util", 4, ("List", "Map")),
        ("a.b", 5, ()),
        ("c.d.E", 5, ()),
        ("e.f", 6, ("*",)),
    ],
    "swift": [("Foundation", 1, ()), ("UIKit.UIView", 2, ())],
    "lua": [("json", 2, ()), ("app.util", 3, ()), ("optional", 20, ())],
    "elixir": [
        ("GenServer", 2, ()),
        ("App", 3, ("Item", "Price")),
        ("Ecto.Query", 4, ()),
        ("App.Store", 5, ()),
    ],
    "haskell": [
        ("Data.List", 3, ()),
        ("Data.Map", 4, ()),
        ("Data.Maybe", 5, ("fromMaybe", "Maybe", "<|>")),
        ("Prelude", 6, ()),
    ],
    "zig": [("std", 1, ()), ("other.zig", 2, ())],
    "bash": [("./lib.sh", 2, ()), ("${DIR}/common.sh", 3, ())],
}

SAMPLES = {
    "scala": SCALA,
    "swift": SWIFT,
    "lua": LUA,
    "elixir": ELIXIR,
    "haskell": HASKELL,
    "zig": ZIG,
    "bash": BASH,
}

BROKEN = {
    "scala": ("class A { def ok = 1 }\nclass B { def (((", "A.ok"),
    "swift": ("struct A { func ok() {} }\nfunc broken( {", "A.ok"),
    "lua": ("function ok() end\nlocal = = 3\n", "ok"),
    "elixir": ("defmodule A do\n  def ok, do: 1\nend\ndefmodule B do\n  def (\n", "A.ok"),
    "haskell": ("ok :: Int\nok = 1\n\nbad = = (\n", "ok"),
    "zig": ("fn ok() void {}\nfn bad( {\n", "ok"),
    "bash": ("ok() { :; }\nif true; then (\n", "ok"),
}

DOCS = {
    "scala": ("Order", "注文"),
    "swift": ("Member", "会員"),
    "elixir": ("App.Cart.add", "追加"),
    "haskell": ("total", "合計"),
    "zig": ("Point", "点"),
    "bash": ("ROOT", "変数"),
}


@for_each("language", SYMBOLS)
def test_definitions_are_named_scoped_and_placed(language):
    parsed = read(SAMPLES[language], language)
    assert placed(parsed) == SYMBOLS[language]
    assert parsed.notes == ()


@for_each("language", IMPORTS)
def test_imports_are_as_written(language):
    assert imported(read(SAMPLES[language], language)) == IMPORTS[language]


@for_each("language", BROKEN)
def test_a_syntax_error_costs_only_its_own_place(language):
    check_broken(language, *BROKEN[language])


@for_each("language", DOCS)
def test_a_japanese_comment_documents_what_follows(language):
    check_doc(language, SAMPLES[language], *DOCS[language])


def test_the_clauses_of_an_elixir_function_are_one_symbol():
    text = b"defmodule A do\n  def f(0), do: 1\n  def f(n), do: n\n  def g, do: 2\nend\n"
    found = [(one.qualified, one.start_line, one.end_line) for one in parse_file(text, "elixir").symbols]
    assert found == [("A", 1, 5), ("A.f", 2, 3), ("A.g", 4, 4)]


def test_what_elixir_writes_above_a_function_belongs_to_it():
    text = b'defmodule A do\n  @doc "Adds."\n  @spec f(integer) :: integer\n  def f(n), do: n\nend\n'
    function = parse_file(text, "elixir").symbols[1]
    assert (function.start_line, function.end_line) == (3, 4)
    assert "Adds." in function.doc


def test_two_haskell_instances_of_one_class_stay_apart():
    text = b"instance Show A where\n  show _ = 1\ninstance Show B where\n  show _ = 2\n"
    found = [one.qualified for one in parse_file(text, "haskell").symbols]
    assert found == ["A.Show", "A.Show.show", "B.Show", "B.Show.show"]


def test_names_that_a_haskell_import_hides_are_not_taken():
    parsed = parse_file(b"import Prelude hiding (lookup)\nx = 1\n", "haskell")
    assert [one.names for one in parsed.imports] == [()]


def test_a_given_without_a_name_is_known_by_its_type():
    parsed = parse_file(b"given Ordering[String] = ???\n", "scala")
    assert [(one.kind, one.name) for one in parsed.symbols] == [("impl", "Ordering[String]")]


def test_scala_by_indentation_reads_like_scala_by_braces():
    text = b"object A:\n  val k = 1\n  def f(x: Int): Int =\n    val local = x\n    local\n"
    found = [(one.kind, one.qualified) for one in parse_file(text, "scala").symbols]
    assert found == [("object", "A"), ("field", "A.k"), ("method", "A.f")]
