"""Symbols and imports of Python, JavaScript, TypeScript, TSX, PHP and Ruby."""

import pytest
from tests.cases import for_each
from tests.engine.parse.samples import SampleChecks, check_details, read

PYTHON = '''\
"""Mod."""
from __future__ import annotations
import os, x.y as z
from ..a import (
    b as c,  # why
    d,
)
from . import *

# A limit
LIMIT = 3
first = second = 4
type Pair = tuple[int, int]


# above
@deco
@other(1)
def f(x,
      y) -> int:
    """Doc f.

    More.
    """
    import late
    local = 1
    def inner():
        pass
    return 1


class 注文(Base):
    """Doc."""
    x: int = 3

    # 日本語の注釈
    def 合計(self): return 1

    @property
    def n(self):
        return 2

    class Meta:
        order = 1

    async def run(self): ...


if __name__ == "__main__":
    f()
'''

PYTHON_SYMBOLS = """\
constant LIMIT 11-11
variable first 12-12
variable second 12-12
type Pair 13-13
function f 17-29
function f.inner 27-28
class 注文 32-46
field 注文.x 34-34
method 注文.合計 37-37
method 注文.n 39-41
class 注文.Meta 43-44
field 注文.Meta.order 44-44
method 注文.run 46-46
"""

PYTHON_IMPORTS = [
    ("__future__", 2, ("annotations",)),
    ("os", 3, ()),
    ("x.y", 3, ()),
    ("..a", 4, ("b", "d")),
    (".", 8, ("*",)),
    ("late", 25, ()),
]

JAVASCRIPT = """\
import d, { a as b, c } from './x.js';
import * as ns from "pkg";
import './side.css';
export * from './all';
export { q as r } from './q';
const fs = require('fs');

/**
 * Adds things.
 */
export function add(a, b) {
  const local = 1;
  return a + b;
}
export default class Shop extends Base {
  #count = 0;
  static LIMIT = 3;
  constructor(x) { super(x); }
  async load() { await import('./lazy.js'); }
  onClick = () => { this.load(); };
}
export const double = (x) => x * 2;
const api = {
  get(path) { return path; },
  post: function (path) { return path; },
};
var Old = function () {};
Old.prototype.run = function () {};
exports.helper = function () {};
function* walk() {}
const LIMIT = 10;
let state = 1;
describe('shop', () => {
  it('loads', () => {});
});
"""

JAVASCRIPT_SYMBOLS = """\
function add 11-14
class Shop 15-21
field Shop.#count 16-16
field Shop.LIMIT 17-17
constructor Shop.constructor 18-18
method Shop.load 19-19
method Shop.onClick 20-20
function double 22-22
constant api 23-26
method api.get 24-24
function api.post 25-25
function Old 27-27
method Old.run 28-28
function helper 29-29
function walk 30-30
constant LIMIT 31-31
variable state 32-32
test shop 33-35
test shop.loads 34-34
"""

JAVASCRIPT_IMPORTS = [
    ("./x.js", 1, ("default", "a", "c")),
    ("pkg", 2, ()),
    ("./side.css", 3, ()),
    ("./all", 4, ("*",)),
    ("./q", 5, ("q",)),
    ("fs", 6, ("default",)),
    ("./lazy.js", 19, ()),
]

TYPESCRIPT = """\
import type { A, B as C } from './a';
import x = require('y');
import d, * as ns from 'mod';
import './side';
export * from './z';
export { q as r } from "./q";
const fs = require('fs');
const lazy = () => import('./lazy');

/**
 * Kクラス
 */
@Comp()
export class K<T> extends B implements I {
  @Input() name: string = 'a'; private readonly n = 1;
  constructor(private a: A) { super(); }
  // hook
  @Hook()
  m(): void {}
  get g() { return 1; }
  arrow = () => 1;
}
export interface I { a: string; f(): void }
export type T = { a: 1 };
export enum E { A, B }
export const f = async (a: number) => { return 1; };
namespace N.M { export function q() {} }
declare function dd(): void;
const { a, b } = c;
exports.foo = function() {};
Foo.prototype.bar = function() {};
describe("thing", () => {
  it("works", () => { const local = 1; });
});
export const LIMIT = 3;
let v = 1;
declare const told: string;
export declare let later: number;
"""

TYPESCRIPT_SYMBOLS = """\
function lazy 8-8
class K 13-22
field K.name 15-15
field K.n 15-15
constructor K.constructor 16-16
method K.m 18-19
method K.g 20-20
method K.arrow 21-21
interface I 23-23
field I.a 23-23
method I.f 23-23
type T 24-24
enum E 25-25
function f 26-26
namespace N.M 27-27
function N.M.q 27-27
function dd 28-28
function foo 30-30
method Foo.bar 31-31
test thing 32-34
test thing.works 33-33
constant LIMIT 35-35
variable v 36-36
constant told 37-37
variable later 38-38
"""

TYPESCRIPT_IMPORTS = [
    ("./a", 1, ("A", "B")),
    ("y", 2, ()),
    ("mod", 3, ("default",)),
    ("./side", 4, ()),
    ("./z", 5, ("*",)),
    ("./q", 6, ("q",)),
    ("fs", 7, ("default",)),
    ("./lazy", 8, ()),
]

TSX = """\
import React, { type FC } from 'react';
import type { Props } from './types';

interface State { open: boolean }

// ボタン
export const Button: FC<Props> = ({ label }) => {
  return <button>{label}</button>;
};
export default function App() {
  const [state, setState] = React.useState<State>();
  return <Button label="x" />;
}
"""

TSX_SYMBOLS = """\
interface State 4-4
field State.open 4-4
function Button 7-9
function App 10-13
"""

TSX_IMPORTS = [
    ("react", 1, ("default", "FC")),
    ("./types", 2, ("Props",)),
]

PHP = """\
<?php
namespace App\\Models;
use A\\{B, C as D};
use function A\\f;
use X\\Y as Z;
require_once __DIR__ . '/x.php';
const X = 1;
define('Y', 2);
/**
 * モデル
 */
#[Attr]
abstract class K extends B implements I {
  use T;
  const M = 1;
  public int $f = 3;
  public function __construct(private int $x) {}
  #[A] public static function m(): int { return 1; }
}
interface I { function f(); }
trait T {}
enum E: int { case A = 1; }
function foo($a) { $l = 1; }
"""

PHP_SYMBOLS = """\
constant X 7-7
constant Y 8-8
class K 12-19
constant K.M 15-15
property K.f 16-16
constructor K.__construct 17-17
property K.x 17-17
method K.m 18-18
interface I 20-20
method I.f 20-20
trait T 21-21
enum E 22-22
constant E.A 22-22
function foo 23-23
"""

PHP_IMPORTS = [
    ("A\\B", 3, ()),
    ("A\\C", 3, ()),
    ("A\\f", 4, ()),
    ("X\\Y", 5, ()),
    ("./x.php", 6, ()),
]

RUBY = """\
require 'a'
require_relative 'b/c'
module A::B
  # doc
  class K < Base
    MAX = 1
    attr_accessor :x, :y
    def initialize(a); end
    def self.s; end
    class << self
      def t; end
    end
    def ==(o); end
  end
end
def top; end
X = Struct.new(:a) do
  def q; end
end
describe "thing" do
  it "works" do
  end
end
"""

RUBY_SYMBOLS = """\
module A.B 3-15
class A.B.K 5-14
constant A.B.K.MAX 6-6
property A.B.K.x 7-7
property A.B.K.y 7-7
method A.B.K.initialize 8-8
method A.B.K.s 9-9
method A.B.K.t 11-11
method A.B.K.== 13-13
function top 16-16
class X 17-19
method X.q 18-18
test thing 20-23
test thing.works 21-22
"""

RUBY_IMPORTS = [
    ("a", 1, ()),
    ("./b/c", 2, ()),
]

SAMPLES = [
    ("python", PYTHON, PYTHON_SYMBOLS, PYTHON_IMPORTS),
    ("javascript", JAVASCRIPT, JAVASCRIPT_SYMBOLS, JAVASCRIPT_IMPORTS),
    ("typescript", TYPESCRIPT, TYPESCRIPT_SYMBOLS, TYPESCRIPT_IMPORTS),
    ("tsx", TSX, TSX_SYMBOLS, TSX_IMPORTS),
    ("php", PHP, PHP_SYMBOLS, PHP_IMPORTS),
    ("ruby", RUBY, RUBY_SYMBOLS, RUBY_IMPORTS),
]

DETAILS = [
    ("python", "f", "def f(x, y) -> int", "Doc f.\nMore."),
    ("python", "注文", "class 注文(Base)", "Doc."),
    ("python", "注文.合計", "def 合計(self)", "日本語の注釈"),
    ("python", "LIMIT", "LIMIT = 3", "A limit"),
    ("javascript", "add", "export function add(a, b)", "Adds things."),
    ("javascript", "Shop", "export default class Shop extends Base", ""),
    ("javascript", "double", "export const double = (x) =>", ""),
    ("javascript", "Old.run", "Old.prototype.run = function ()", ""),
    ("typescript", "K", "class K<T> extends B implements I", "Kクラス"),
    ("typescript", "K.m", "m(): void", "hook"),
    ("typescript", "f", "export const f = async (a: number) =>", ""),
    ("tsx", "Button", "export const Button: FC<Props> = ({ label }) =>", "ボタン"),
    ("php", "K", "abstract class K extends B implements I", "モデル"),
    ("php", "K.m", "public static function m(): int", ""),
    ("ruby", "A.B.K", "class K < Base", "doc"),
    ("ruby", "A.B", "module A::B", ""),
]


@pytest.mark.parametrize(("language", "source", "symbols", "imports"), SAMPLES, ids=[one[0] for one in SAMPLES])
class TestSample(SampleChecks):
    """Every sample."""


@for_each(("language", "name", "signature", "doc"), DETAILS)
def test_signature_and_doc_say_what_stands_before_and_above(language: str, name: str, signature: str, doc: str) -> None:
    source = next(one[1] for one in SAMPLES if one[0] == language)
    check_details(language, source, name, (signature, doc))


@for_each(
    ("source", "symbols"),
    [
        ("module.exports = class Till { ring() {} }", ["class Till", "method Till.ring"]),
        ("module.exports = exports = class Till {}", ["class Till"]),
        ("module.exports = function till() {}", ["function till"]),
        ("module.exports = function () {}", ["function exports"]),
        ("exports.ring = function ring() {}", ["function ring"]),
    ],
)
def test_what_a_module_exports_is_known_by_its_own_name(source: str, symbols: list[str]) -> None:
    assert [f"{one.kind} {one.qualified}" for one in read(source, "javascript").symbols] == symbols
