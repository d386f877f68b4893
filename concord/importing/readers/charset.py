"""Likelihood of a text's characters in Chinese, Japanese or Korean.

A coarse model of each language: groups of characters, each with its share of the text, spread
evenly within the group. Shares are rounded observations on ordinary prose; only their orders of
magnitude matter.
"""

import math
import re
from collections import Counter
from functools import cache

_HANZI = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年"
    "过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心"
    "她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间"
    "由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给"
    "世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变"
    "四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社"
    "便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北"
    "边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运请问题答案模型回根据文档系统内"
    "容正确信息包括需要用户数据标准评分错误说明方法步骤使用语言吗呢吧啊谢您"
)
_TRADITIONAL = (
    "這個們來為國說時會對過發後裡種經學動還進樣實開從軍無與長機業關點將兩間問應戰頭體見產話"
    "給門兒東聲員論處義幾認條係氣題爾變總電數報結場計許統區隊決馬書則聽達強難權設記類據邊張該"
    "規萬覺術領確傳師觀請讓識帶導爭運檔錯誤標準評驟語嗎謝麼沒於裏"
)
_KANJI = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女"
    "北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨的者事会社自発方新場"
    "員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海"
    "売知道集別物使品計死特私始朝運終台広住無真有口少町料工建空急止送切転研足究楽起着店病質待試"
    "族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕"
    "借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢回答文書説明正確情報必要参照検索資料結果質問確認株"
    "式会社利用設定方法内容対応場合関連可能性全部最初次法律経済予定表示変更可以上議期"
)
_HANGUL = (
    "이다는에의을가고하지한은로를기서도사어아자나리시있그인대스들해것으일정부수적장제전상여보게니"
    "지만과라구원주오소할면동유조공성안마생거우신비국개연없모세계었무간때문되및관위체학내말경선방"
    "습질답변당발용요실금결산현년월입합행중미트진화야와건데물음까러드레치음려했된될인분할바람교"
    "통회가단만르차심저불법설명반식본약남집감결속각재민업강추양후같알써두열번달던못려든출작복모"
    "함께너준급필작점목타히며네겠프포크터파더많군영순최근령느래또종육특외북운판표직살천특직활외"
    "읽확책색검참확먹글언올총째초력점임노배울메구"
)
_CHINESE_MARKS = "，。、：；？！“”‘’（）《》【】—…·　「」％"
_JAPANESE_MARKS = "、。「」・（）『』ー！？　〜～：／％々"
_KOREAN_MARKS = "“”‘’·…「」『』《》※　、。～"
_HALF_WIDTH = "".join(map(chr, range(0xFF61, 0xFFA0)))
_FREQUENT_HALF_WIDTH = "ﾝｰｽﾄﾞﾙｲﾗﾃﾌｸﾘｼｱﾟﾚﾀｶｺﾏ"
_HIRAGANA = "".join(map(chr, range(0x3041, 0x3094)))
_KATAKANA = "".join(map(chr, range(0x30A1, 0x30F7)))
# Half-width katakana come in runs, so a run is rare but what follows its start is not.
_RUN_START = re.compile("(?<![｡-ﾟ])[｡-ﾟ]")
_RUN_START_NATS = math.log(0.02)
ASCII_NATS = -4.0
_STRANGER_NATS = -20.0


def log_likelihood(text: str, codec: str) -> float:
    """Natural log of how likely these characters are in the language written in `codec`.

    `codec` is gb18030, cp932 or cp949. Comparable between readings of the same bytes only.
    """
    table = _table(codec)
    # Per distinct character: a text of a megabyte has a few thousand of them.
    total = sum(
        count * (ASCII_NATS if char.isascii() else table.get(char, _STRANGER_NATS))
        for char, count in Counter(text).items()
    )
    return total + _RUN_START_NATS * len(_RUN_START.findall(text))


@cache
def _table(codec):
    """Log share of every character the groups of that language hold; the first group counts."""
    table = {}
    for share, characters in _GROUPS[codec]():
        # A character counts in its first, most frequent group only, so that the shares sum to 1.
        fresh = set(characters) - table.keys()
        table |= dict.fromkeys(fresh, math.log(share / max(1, len(fresh))))
    return table


def _chinese():
    yield 0.70, _HANZI
    yield 0.12, _CHINESE_MARKS
    yield 0.12, _block("gb2312", 0xB0, 0xD7)
    yield 0.03, _TRADITIONAL
    yield 0.01, _block("gb2312", 0xD8, 0xF7)
    yield 0.005, _block("gb2312", 0xA1, 0xA9)
    yield 0.005, _block("gbk", 0x81, 0xFE, 0x40)


def _japanese():
    # Of the characters within a run, not of the text.
    yield 0.72, _FREQUENT_HALF_WIDTH
    yield 0.28, _HALF_WIDTH
    yield 0.42, _HIRAGANA
    yield 0.15, _KATAKANA
    yield 0.10, _JAPANESE_MARKS
    yield 0.18, _KANJI
    yield 0.09, _block("cp932", 0x88, 0x97, 0x40)
    yield 0.005, _block("cp932", 0x81, 0x87, 0x40)
    yield 0.004, _block("cp932", 0x98, 0x9F, 0x40) + _block("cp932", 0xE0, 0xEA, 0x40)
    yield 0.001, _block("cp932", 0xED, 0xFC, 0x40)


def _korean():
    yield 0.80, _HANGUL
    yield 0.03, _KOREAN_MARKS
    yield 0.14, _block("euc_kr", 0xB0, 0xC8)
    yield 0.01, _block("euc_kr", 0xA1, 0xAC)
    yield 0.008, _block("euc_kr", 0xCA, 0xFD)
    yield 0.0005, _block("cp949", 0x81, 0xC6, 0x41)


_GROUPS = {"gb18030": _chinese, "cp932": _japanese, "cp949": _korean}


def _block(codec, first, last, trail=0xA1):
    """Return every two-byte character with a lead byte from `first` to `last`."""
    pairs = (bytes((lead, t)) for lead in range(first, last + 1) for t in range(trail, 0xFF))
    return "".join(pair.decode(codec, "ignore") for pair in pairs)
