"""Blade templates."""

from shirube.engine.parse.blade import parse_blade

TEXT = """\
@extends('layouts.app')
{{-- @include('no') --}}
@section('title', 'Home')
@section('content')
  @include('partials.nav', ['a' => f(1)])
  @foreach ($users as $user)
    <x-card :user="$user" title="a > b">
      <x-slot:footer>下</x-slot>
      <x-icon.small name="x" />
    </x-card>
  @endforeach
  @includeWhen($a, 'partials.x')
  me@section.com @@section('no')
@endsection
@push('scripts')
<script></script>
@endpush
@component('mail::message')
@slot('title')
@endslot
@endcomponent
@includeFirst(['a.b', 'c.d'])
"""


def test_blocks_and_components_are_symbols() -> None:
    found = [(one.kind, one.qualified, one.start_line, one.end_line) for one in parse_blade(TEXT.encode()).symbols]
    loop = "content.foreach $users as $user"
    assert found == [
        ("directive", "title", 3, 3),
        ("directive", "content", 4, 14),
        ("directive", loop, 6, 11),
        ("component", f"{loop}.x-card", 7, 10),
        ("directive", f"{loop}.x-card.slot footer", 8, 8),
        ("component", f"{loop}.x-card.x-icon.small", 9, 9),
        ("directive", "scripts", 15, 17),
        ("directive", "mail::message", 18, 21),
        ("directive", "mail::message.title", 19, 20),
    ]


def test_used_views_are_imports() -> None:
    assert [(one.module, one.line) for one in parse_blade(TEXT.encode()).imports] == [
        ("layouts.app", 1),
        ("partials.nav", 5),
        ("x-card", 7),
        ("x-icon.small", 9),
        ("partials.x", 12),
        ("mail::message", 18),
        ("a.b", 22),
        ("c.d", 22),
    ]


def test_long_blocks_are_pieces_of_their_own() -> None:
    text = "".join(f"@section('s{n}')\n{'<p>text</p>' * 70}\n@endsection\n" for n in range(2))
    assert [(one.symbol, one.kind) for one in parse_blade(text.encode()).pieces] == [
        ("s0", "directive"),
        ("s1", "directive"),
    ]


def test_ends_without_beginnings_are_no_error() -> None:
    parsed = parse_blade(b'@endsection </x-a> @section( <x-b " {{--')
    assert len(parsed.pieces) == 1


def test_a_megabyte_of_open_parentheses_is_read_quickly() -> None:
    assert parse_blade(b"@section(" * 100_000).pieces
