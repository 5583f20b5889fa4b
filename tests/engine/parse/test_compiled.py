"""Symbols and imports of Go, Rust, Java, C, C++, C# and Kotlin."""

import pytest
from tests.cases import for_each
from tests.engine.parse.samples import SampleChecks, check_details

GO = """\
package a

import (
	"fmt"
	x "a/b"
)

// T is.
type T struct {
	A int `json:"a"`
	B, C string
}
type (
	I interface { F() int }
	A = int
)
// M does.
func (t *T) M(a int) int { return 1 }
func (t G[K]) N() {}
func F[T any]() {}
const X, Y = 1, 2
var v = 1
const (
	P = iota
	Q
)
"""

GO_SYMBOLS = """\
struct T 9-12
field T.A 10-10
field T.B 11-11
field T.C 11-11
interface I 14-14
method I.F 14-14
type A 15-15
method T.M 18-18
method G.N 19-19
function F 20-20
constant X 21-21
constant Y 21-21
variable v 22-22
constant P 24-24
constant Q 25-25
"""

GO_IMPORTS = [
    ("fmt", 4, ()),
    ("a/b", 5, ()),
]

RUST = """\
use crate::a::{self, b::C, d as e, f::*};
use std::io;
pub(crate) mod x;
/// Doc
#[derive(Debug)]
pub struct S { pub a: i32 }
impl<T> Tr for a::S<T> {
    const C: i32 = 1;
    /// m
    fn m(&self) {}
}
trait Tr { fn f(&self); fn g() {} }
enum E { A, B(i32) }
macro_rules! mac { () => {} }
mod inner { fn q() {} }
static ST: i32 = 1;
type T = i32;
"""

RUST_SYMBOLS = """\
struct S 5-6
field S.a 6-6
impl S 7-11
constant S.C 8-8
method S.m 10-10
trait Tr 12-12
method Tr.f 12-12
method Tr.g 12-12
enum E 13-13
constant E.A 13-13
constant E.B 13-13
macro mac 14-14
module inner 15-15
function inner.q 15-15
variable ST 16-16
type T 17-17
"""

RUST_IMPORTS = [
    ("crate::a", 1, ("self", "d")),
    ("crate::a::b", 1, ("C",)),
    ("crate::a::f", 1, ("*",)),
    ("std", 2, ("io",)),
    ("mod x", 3, ()),
]

JAVA = """\
package a.b;
import static a.B.c;
import java.util.*;
import java.util.List;
/** Doc */
@Ann
public class K<T> extends B implements I {
  static final int MAX = 1, MIN = 2;
  public K(int a) {}
  @Override
  public int m() { return 1; }
  enum E { A, B; void x() {} }
  record R(int a) { R { } }
  @interface An { int v(); }
}
interface I { int X = 1; void f(); }
"""

JAVA_SYMBOLS = """\
class K 6-15
field K.MAX 8-8
field K.MIN 8-8
constructor K.K 9-9
method K.m 10-11
enum K.E 12-12
constant K.E.A 12-12
constant K.E.B 12-12
method K.E.x 12-12
record K.R 13-13
constructor K.R.R 13-13
interface K.An 14-14
method K.An.v 14-14
interface I 16-16
constant I.X 16-16
method I.f 16-16
"""

JAVA_IMPORTS = [
    ("a.B", 2, ("c",)),
    ("java.util", 3, ("*",)),
    ("java.util.List", 4, ()),
]

C = """\
#include <stdio.h>
#include "a.h"
/* doc of f */
static int *f(int a, char *b)
{
    int local = 1;
    return 0;
}
typedef struct node { int a; struct node *next; } node;
struct pt { int x, y; };
enum color { RED, GREEN };
typedef int (*cb)(int);
int proto(void);
#define LIMIT 3
static const char *names[] = {"a"};
int counter = 0;
"""

C_SYMBOLS = """\
function f 4-8
struct node 9-9
field node.a 9-9
field node.next 9-9
struct pt 10-10
field pt.x 10-10
field pt.y 10-10
enum color 11-11
constant color.RED 11-11
constant color.GREEN 11-11
type cb 12-12
function proto 13-13
macro LIMIT 14-14
variable names 15-15
variable counter 16-16
"""

C_IMPORTS = [
    ("<stdio.h>", 1, ()),
    ("a.h", 2, ()),
]

CPP = """\
#include <vector>
#include "a.h"
#define MAX(a,b) ((a)>(b))
#define N 3
namespace a::b {
// K class
template <typename T>
class K : public B {
 public:
  K(int a); ~K(); int f = 3; virtual int m() const = 0; static int s;
  int inl() { return 1; }
  K& operator=(const K&);
  enum class E { A, B };
};
struct S { int x; int *p; };
}
template <class T>
int K<T>::m() const { return 1; }
int* Foo::bar(int x) { return 0; }
Foo::~Foo() {}
bool ns::Foo::operator==(const Foo& o) { return 1; }
static const int LIM = 3;
int proto(int);
typedef struct TT { int a; } TT;
using U = int;
extern "C" { int ec(void) { return 1; } }
"""

CPP_SYMBOLS = """\
macro MAX 3-3
macro N 4-4
namespace a.b 5-16
class a.b.K 7-14
method a.b.K.K 10-10
method a.b.K.~K 10-10
field a.b.K.f 10-10
method a.b.K.m 10-10
field a.b.K.s 10-10
method a.b.K.inl 11-11
method a.b.K.operator= 12-12
enum a.b.K.E 13-13
constant a.b.K.E.A 13-13
constant a.b.K.E.B 13-13
struct a.b.S 15-15
field a.b.S.x 15-15
field a.b.S.p 15-15
method K.m 17-18
method Foo.bar 19-19
method Foo.~Foo 20-20
method ns.Foo.operator== 21-21
constant LIM 22-22
function proto 23-23
struct TT 24-24
field TT.a 24-24
type U 25-25
function ec 26-26
"""

CPP_IMPORTS = [
    ("<vector>", 1, ()),
    ("a.h", 2, ()),
]

CSHARP = """\
using System;
global using static A.B;
using X = A.B.C;
namespace N.M {
  /// <summary>Doc</summary>
  [Attr]
  public class K : Base {
    public const int Max = 3, Min = 1;
    public string P { get; set; }
    public K(int a) {}
    public int M<T>(int a) => 1;
    public static K operator +(K a, K b) => a;
    enum E2 { A, B }
  }
  interface I { void F(); }
  struct S { }
  record R(int A);
}
"""

CSHARP_SYMBOLS = """\
namespace N.M 4-18
class N.M.K 6-14
field N.M.K.Max 8-8
field N.M.K.Min 8-8
property N.M.K.P 9-9
constructor N.M.K.K 10-10
method N.M.K.M 11-11
method N.M.K.+ 12-12
enum N.M.K.E2 13-13
constant N.M.K.E2.A 13-13
constant N.M.K.E2.B 13-13
interface N.M.I 15-15
method N.M.I.F 15-15
struct N.M.S 16-16
record N.M.R 17-17
"""

CSHARP_IMPORTS = [
    ("System", 1, ()),
    ("A.B", 2, ()),
    ("A.B.C", 3, ()),
]

KOTLIN = """\
package a.b

import a.b.C as D
import a.b.*

/** Doc */
@Ann
data class P(val x: Int, y: Int) : Base(x) {
  constructor(a: String) : this(1)
  companion object {
    const val MAX = 3
  }
  val z: Int get() = 1
  fun m(): Int = 3
}
interface I {
  fun f()
}
enum class E { A, B }
object O {
  fun h() { val local = 1 }
}
fun String.ext(a: Int): Int { val l = 1; return l }
typealias T = Int
val top = 1
const val LIMIT = 2
"""

KOTLIN_SYMBOLS = """\
class P 7-15
property P.x 8-8
constructor P.constructor 9-9
property P.MAX 11-11
property P.z 13-13
method P.m 14-14
interface I 16-18
method I.f 17-17
enum E 19-19
constant E.A 19-19
constant E.B 19-19
object O 20-22
method O.h 21-21
function ext 23-23
type T 24-24
variable top 25-25
constant LIMIT 26-26
"""

KOTLIN_IMPORTS = [
    ("a.b.C", 3, ()),
    ("a.b", 4, ("*",)),
]

SAMPLES = [
    ("go", GO, GO_SYMBOLS, GO_IMPORTS),
    ("rust", RUST, RUST_SYMBOLS, RUST_IMPORTS),
    ("java", JAVA, JAVA_SYMBOLS, JAVA_IMPORTS),
    ("c", C, C_SYMBOLS, C_IMPORTS),
    ("cpp", CPP, CPP_SYMBOLS, CPP_IMPORTS),
    ("csharp", CSHARP, CSHARP_SYMBOLS, CSHARP_IMPORTS),
    ("kotlin", KOTLIN, KOTLIN_SYMBOLS, KOTLIN_IMPORTS),
]

DETAILS = [
    ("go", "T", "type T struct", "T is."),
    ("go", "T.M", "func (t *T) M(a int) int", "M does."),
    ("go", "X", "const X, Y = 1, 2", ""),
    ("rust", "Tr", "trait Tr", ""),
    ("rust", "S.m", "fn m(&self)", "m"),
    ("rust", "E", "enum E", ""),
    ("java", "K", "public class K<T> extends B implements I", "Doc"),
    ("java", "K.m", "public int m()", ""),
    ("c", "f", "static int *f(int a, char *b)", "doc of f"),
    ("c", "LIMIT", "#define LIMIT 3", ""),
    ("c", "node", "typedef struct node", ""),
    ("cpp", "a.b.K", "class K : public B", "K class"),
    ("cpp", "K.m", "int K<T>::m() const", ""),
    ("cpp", "Foo.bar", "int* Foo::bar(int x)", ""),
    ("csharp", "N.M.K", "public class K : Base", "<summary>Doc</summary>"),
    ("csharp", "N.M.K.M", "public int M<T>(int a)", ""),
    ("kotlin", "P", "data class P(val x: Int, y: Int) : Base(x)", "Doc"),
    ("kotlin", "ext", "fun String.ext(a: Int): Int", ""),
    ("kotlin", "P.m", "fun m(): Int", ""),
]


@pytest.mark.parametrize(("language", "source", "symbols", "imports"), SAMPLES, ids=[one[0] for one in SAMPLES])
class TestSample(SampleChecks):
    """Every sample."""


@for_each(("language", "name", "signature", "doc"), DETAILS)
def test_signature_and_doc_say_what_stands_before_and_above(language: str, name: str, signature: str, doc: str) -> None:
    source = next(one[1] for one in SAMPLES if one[0] == language)
    check_details(language, source, name, (signature, doc))
