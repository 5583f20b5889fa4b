"""Japanese that is written in other ways: old kanji, look-alikes of ー, iteration marks, Latin letters.

``readings.tsv`` has how the 3,000 most frequent words of programming with kanji are read, most frequent first.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib import resources

from shirube.engine.text.stems import stem
from shirube.engine.text.tokens import normalise

_OLD_AND_NEW = (
    "亞亜惡悪壓圧圍囲爲為醫医壹壱稻稲飮飲隱隠營営榮栄衞衛驛駅圓円緣縁艷艶鹽塩奧奥應応橫横歐欧毆殴黃黄溫温穩穏假仮價価"
    "畫画會会囘回壞壊懷懐繪絵槪概擴拡殼殻覺覚學学嶽岳樂楽渴渇鐮鎌勸勧卷巻寬寛歡歓罐缶觀観閒間關関陷陥巖巌顏顔歸帰氣気"
    "龜亀僞偽戲戯犧犠卻却糺糾舊旧據拠擧挙虛虚峽峡挾挟敎教强強狹狭鄕郷曉暁區区驅駆勳勲薰薫羣群徑径惠恵揭掲攜携溪渓經経"
    "繼継莖茎螢蛍輕軽鷄鶏藝芸擊撃缺欠儉倹劍剣圈圏檢検權権獻献縣県硏研險険顯顕驗験嚴厳戶戸吳呉娛娯效効廣広恆恒鑛鉱號号"
    "國国黑黒歲歳濟済碎砕齋斎劑剤櫻桜册冊雜雑產産參参慘惨棧桟蠶蚕贊賛殘残絲糸姊姉齒歯兒児辭辞濕湿實実舍舎寫写釋釈壽寿"
    "收収從従澁渋獸獣縱縦肅粛處処緖緒敍叙尙尚奬奨將将涉渉燒焼稱称證証乘乗剩剰壤壌孃嬢條条淨浄狀状疊畳讓譲釀醸囑嘱觸触"
    "寢寝愼慎晉晋眞真盡尽圖図粹粋醉酔隨随髓髄數数樞枢瀨瀬淸清靑青聲声靜静齊斉稅税說説攝摂竊窃絕絶專専戰戦淺浅潛潜纖繊"
    "踐践錢銭禪禅曾曽雙双壯壮搜捜插挿巢巣爭争窗窓瘦痩總総聰聡莊荘裝装騷騒增増臟臓藏蔵卽即屬属續続墮堕體体對対帶帯滯滞"
    "臺台瀧滝擇択澤沢脫脱單単擔担膽胆團団彈弾斷断癡痴遲遅晝昼蟲虫鑄鋳廳庁徵徴聽聴敕勅鎭鎮遞逓鐵鉄轉転點点傳伝黨党盜盗"
    "燈灯當当鬭闘鬪闘德徳獨独讀読屆届繩縄內内貳弐姙妊黏粘惱悩腦脳霸覇廢廃拜拝賣売麥麦發発髮髪拔抜晚晩蠻蛮祕秘彥彦姬姫"
    "濱浜甁瓶拂払佛仏倂併竝並變変邊辺邉辺辨弁瓣弁辯弁辦弁舖舗步歩穗穂寶宝襃褒豐豊沒没飜翻每毎萬万滿満麵麺默黙餠餅戾戻"
    "彌弥藥薬譯訳豫予餘余與与譽誉搖揺樣様謠謡遙遥慾欲來来賴頼亂乱覽覧畧略龍竜兩両獵猟綠緑鄰隣壘塁淚涙勵励禮礼隸隷靈霊"
    "齡齢曆暦歷歴戀恋鍊錬爐炉勞労樓楼郞郎祿禄錄録亙亘灣湾閱閲悅悦銳鋭"
    "⻑長⻄西⻘青⻩黄⻝食⻭歯⻲亀⻨麦⻯竜⻤鬼"
)
"""The old forms of the kanji for general use, and other variants, each before the form of today.

The last line has radicals, which text out of PDF files has in place of kanji.
"""

_TODAY = str.maketrans(_OLD_AND_NEW[::2], _OLD_AND_NEW[1::2])
_INVISIBLE = (*range(0x202A, 0x202F), *range(0x2060, 0x206A), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_MARKS = str.maketrans("゛゜", "\u3099\u309a", "\u00ad\u200b\u200e\u200f\ufeff") | dict.fromkeys(_INVISIBLE)
"""Marks of voice that stand alone, and what cannot be seen: breaks, directions of writing, variants of a character."""
_LONG = re.compile("(?<=[ァ-ヺヽヾｦ-ﾟ\u3099])[‐-―−－～〜~](?=[ぁ-ヺｦ-ﾟ]|\\W|$)")
_REPEATED = re.compile("([ぁ-ゖァ-ヺ])([ゝゞヽヾ]+)")
_LARGE = re.compile(
    "(?<=[キギシジチヂニヒビピミリ])[ヤユヨ]|(?<=[ウフテデ])[アイエオユ]|(?<=[シジチ])エ|ツ(?=[カ-ヂテ-ドハ-ポ])"
)
_SMALL = str.maketrans("アイエオヤユヨツ", "ァィェォャュョッ")
_V = (("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴュ", "ビュ"), ("ヴ", "ブ"))

_SYLLABLES = re.compile(
    r"(?:(?:([kstpgdbzjc])(?=\1)|t(?=ch))?"
    r"(?:[kgsztdjnhbpmr]y[auo]|(?:[kgsztdjnhfbpmr]|sh|ch|ts)[aiueo]|y[auo]|w[ao]|[aiueo])"
    r"|n'|n(?![aiueoy])|m(?=[bmp]))+"
)
_VARIANTS = {"n'": "n", "nn": "n", "m": "n", "hu": "fu", "si": "shi", "ti": "chi", "tu": "tsu", "zi": "ji", "di": "ji"}
_VARIANTS |= {"du": "zu", "sy": "sh", "ty": "ch", "zy": "j", "jy": "j", "dy": "j", "tch": "cch"}
_VARIANT = re.compile("n'|nn(?![aiueoy])|m(?=[bmp])|(?<![sc])hu|[stzd]i|[td]u|[stzjd]y|tch")
_LONG_VOWEL = re.compile("(?<=o)[ou]|(?<=u)u")
_PARTICLES = "noの woを oを gaが deで niに waは toと karaから madeまで moも suruする sareruされる"
_PARTICLE = dict(re.findall("([a-z]+)([ぁ-ん]+)", _PARTICLES))


def folded(text: str) -> str:
    """Give a word one spelling: ``"檢索ヴュ―"`` → ``"検索ビュー"``, ``"ｻ－ﾊﾞ－"`` → ``"サーバー"``."""
    if text.isascii():
        return text
    text = normalise(with_long_vowels(text)).translate(_TODAY)
    for written, plain in _V:
        text = text.replace(written, plain)
    return _REPEATED.sub(_repeated, text)


def with_long_vowels(text: str) -> str:
    """Write a dash after katakana as the long vowel that it stands for: ``"サ―バ－"`` → ``"サーバー"``.

    What cannot be seen is left out, so that it does not part a word.
    """
    return text if text.isascii() else _LONG.sub("ー", text.translate(_MARKS))


def with_small_kana(text: str) -> str:
    """Write katakana small wherever it can be: ``"キヤツシユ"`` → ``"キャッシュ"``; not every word is written so."""
    return _LARGE.sub(lambda match: match[0].translate(_SMALL), text)


def _repeated(match: re.Match[str]) -> str:
    kana = unicodedata.normalize("NFD", match[1])[0]
    voiced = unicodedata.normalize("NFC", kana + "\u3099")
    return match[1] + "".join(voiced if mark in "ゞヾ" else kana for mark in match[2])


def from_romaji(text: str, terms: Callable[[], str]) -> str:
    """Write a Japanese question in Latin letters in kanji: ``"ninshou no yuukou kigen"`` → ``"認証の有効期限"``.

    Words that are not read so stay. English stays whole: every word must be made of Japanese syllables, and one that
    is not among ``terms()`` (one stem on each line) must be known; without a particle it must be long.
    """
    words = [word.strip("?!.,:;") for word in text.split()]
    if not text.isascii() or len(words) < 2 or not all(map(_may_be_japanese, words)):
        return text
    read = ["" if word.isupper() else _word(word.lower()) for word in words]
    shortest = 3 if _PARTICLE.keys() & words[1:] else 5
    known = [word for word, kanji in zip(words, read, strict=True) if kanji and len(word) >= shortest]
    if not known or all(f"\n{stem(word.lower())}\n" in f"\n{terms()}\n" for word in known):
        return text
    japanese = " ".join(_PARTICLE.get(word) or kanji or word for word, kanji in zip(words, read, strict=True))
    return re.sub(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])", "", japanese)


def _may_be_japanese(word: str) -> bool:
    acronym = (word.isupper() and len(word) > 1) or any(map(str.isdigit, word))
    return acronym or _SYLLABLES.fullmatch(word.lower()) is not None


def _word(romaji: str) -> str:
    """Return the word that is read so, or nothing; a long vowel may be written short (``hyoji`` for 表示)."""
    spelt = _VARIANT.sub(lambda match: _VARIANTS[match[0]], romaji)
    exact, short = _readings()
    return exact.get(spelt) or short.get(spelt, "")


def from_kana(hiragana: str) -> str:
    """Return the kanji of a word that is written as it is read: けんさく → 検索; empty when no word is read so."""
    romaji = ""
    for name in (unicodedata.name(letter, "").split() for letter in hiragana):
        small, sound = "SMALL" in name, name[-1].lower() if name else ""
        if romaji.endswith("?"):  # a small っ doubles what follows
            romaji = romaji[:-1] + sound[:1]
        romaji = romaji + "?" if small and sound == "tu" else romaji[:-1] + sound if small else romaji + sound
    return _word(romaji)


@cache
def _readings() -> tuple[dict[str, str], dict[str, str]]:
    lines = resources.files("shirube.engine.text").joinpath("readings.tsv").read_text("utf-8").splitlines()
    exact = dict(line.split("\t")[::-1] for line in lines)
    short: dict[str, str] = {}
    for reading, word in exact.items():
        short.setdefault(_LONG_VOWEL.sub("", reading), word)
    return exact, short
