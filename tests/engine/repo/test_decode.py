import codecs

from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.repo.read import decode, is_binary

JAPANESE = "// 利用者の一覧を取得する\nfunction ユーザー一覧() { return 一覧; } // 終わり\n"


@for_each("encoding", ["utf-8", "cp932", "euc-jp", "iso-2022-jp"])
def test_japanese_text_is_read_in_every_encoding_it_comes_in(encoding):
    data = JAPANESE.encode(encoding)
    assert not is_binary(data)
    decoded = decode(data)
    assert (decoded.text, decoded.encoding, decoded.note) == (JAPANESE, encoding, "")


@for_each("encoding", ["cp932", "euc-jp"])
@for_each("text", ["x = 1  # 処理\n", "# テスト\n", "print('エラー: 失敗しました')\n"])
def test_a_short_japanese_remark_is_enough(encoding, text):
    assert decode(text.encode(encoding)).text == text


@for_each("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_decides(encoding):
    data = "\ufeffaé日".encode(encoding)
    assert not is_binary(data)
    assert decode(data).text == "aé日"
    assert decode(data).encoding == encoding


def test_the_mark_of_utf8_is_taken_off():
    assert decode(codecs.BOM_UTF8 + b"abc").text == "abc"


@for_each("text", ["café déjà vu", "Über die Größe", "naïve señor", "Ärger mit Öl und Übermut"])
def test_western_text_is_not_taken_for_japanese(text):
    decoded = decode(text.encode("latin-1"))
    assert (decoded.encoding, decoded.note) == ("utf-8", "not UTF-8")
    assert "\ufffd" in decoded.text


def test_chinese_text_is_not_taken_for_japanese():
    assert decode(("这是一个用于测试的中文文件，里面没有日文。" * 4).encode("gb2312")).note == "not UTF-8"


def test_broken_utf16_is_marked_and_noted():
    decoded = decode(codecs.BOM_UTF16_LE + b"a\x00\x00\xd8b\x00")
    assert decoded.note == "not valid UTF-16-LE"
    assert "\ufffd" in decoded.text


@for_each(
    ("data", "binary"),
    [
        (b"", False),
        (b"abc\n", False),
        (b"\x1b[31mred\x1b[0m", False),
        (b"page\x0cbreak", False),
        (b"a\0b", True),
        (b"\x89PNG\r\n\x1a\n\0", True),
        (bytes(range(1, 32)) * 4, True),
        (b"x" * 40_000 + b"\0", False),
    ],
)
def test_binary_data_is_told_from_text(data, binary):
    assert is_binary(data) is binary


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_become_text_without_lone_surrogates(data):
    assert decode(data).text.encode("utf-8") is not None


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x1b\ufeff"), max_size=100))
def test_utf8_comes_back_unchanged(text):
    decoded = decode(text.encode())
    assert (decoded.text, decoded.note) == (text, "")
