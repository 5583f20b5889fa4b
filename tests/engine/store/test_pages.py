import json

import pytest

from shirube.engine.store.disk import PAGE_INDEX, PageFolder, page_name
from shirube.errors import OutsideRoot, StateFault


@pytest.mark.requirement("N002-NAME-01")
def test_two_japanese_topics_never_share_a_name():
    topics = ["認証の流れ", "認可の流れ", "決済", "検索 順位", "検索-順位", "検索/順位", "ＡＢＣ", "ABC"]
    names = [page_name(topic) for topic in topics]
    assert len(set(names)) == len(topics)
    assert names[0].startswith("認証の流れ-")


@pytest.mark.requirement("N002-NAME-02")
@pytest.mark.parametrize(
    "topic", ["../../etc/passwd", "/etc/passwd", "a\\..\\b", "..", ".", "", "a\0b", "x" * 5000, "あ" * 500]
)
def test_no_topic_leads_out_of_the_folder(tmp_path, topic):
    folder = tmp_path / "knowledge"
    path = PageFolder(folder).write(topic, "text", {})
    assert path.resolve().parent == folder.resolve()
    assert path.read_text("utf-8") == "text"
    assert len(path.name.encode()) < 255


@pytest.mark.requirement("002-FILES-01")
def test_the_index_knows_every_page_and_a_page_is_replaced(tmp_path):
    pages = PageFolder(tmp_path)
    first = pages.write("決済", "one", {"goal": "g"})
    assert pages.write("決済", "two", {"goal": "g2"}) == first
    pages.write("other", "three", {})
    assert first.read_text("utf-8") == "two"
    index = json.loads((tmp_path / PAGE_INDEX).read_text("utf-8"))
    assert index == pages.entries()
    assert index[first.name] == {"topic": "決済", "goal": "g2"}


def test_an_index_that_cannot_be_read_is_begun_anew(tmp_path):
    (tmp_path / PAGE_INDEX).write_text("[broken")
    assert PageFolder(tmp_path).entries() == {}
    PageFolder(tmp_path).write("a", "b", {})
    assert len(PageFolder(tmp_path).entries()) == 1


def test_a_folder_that_leads_out_of_the_project_is_refused(tmp_path):
    inside, outside = tmp_path / "project", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "knowledge").symlink_to(outside)
    with pytest.raises(OutsideRoot):
        PageFolder(inside / "knowledge", inside)


def test_a_link_in_the_place_of_a_page_is_replaced_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / f"{page_name('a')}.md").symlink_to(victim)
    PageFolder(folder).write("a", "new", {})
    assert victim.read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_told_as_such(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateFault):
        PageFolder(tmp_path / "file").write("a", "b", {})
