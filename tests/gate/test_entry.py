from shirube.gate.entry import Entry


def test_a_file_stands_when_its_stat_is_the_same_whatever_is_known_of_its_content():
    was = Entry(1, 2, 3, 4, "digest")
    assert was.stands(Entry(1, 2, 3, 4))
    assert not any(
        was.stands(Entry(*(value + (at == place) for at, value in enumerate(was[:4])))) for place in range(4)
    )
