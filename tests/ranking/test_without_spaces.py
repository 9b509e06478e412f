"""A question in Chinese or Japanese is answered from files in that language, though no space tells its words apart."""

import re
from pathlib import Path

import pytest

from report.written import texts_of
from spyglass import research
from spyglass.kernel.settings import Settings

WALL = """# 长城

长城是中国古代的军事防御工程，东起辽宁虎山，西至甘肃嘉峪关。

春秋战国时期，各诸侯国为了防御邻国而修筑长城。今天人们看到的长城大多是明代修建的。

1987年，长城被联合国教科文组织列入世界文化遗产名录。风化和旅游是长城面临的主要威胁。
"""
HANDBOOK = """员工手册

年假须提前两周向部门经理申请。未休的年假可以延至次年三月底。

差旅费用应在出差结束后十五天内报销。报销单由财务部王芳审核。
"""
MISO = """# 味噌

味噌は大豆に麹と塩を加えて発酵させた日本の調味料です。豆味噌は愛知県を中心に作られています。

開封した味噌は冷蔵庫で保存してください。
"""
FUJI = """# 富士山

富士山は静岡県と山梨県にまたがる活火山で、標高は3776メートルである。2013年に世界文化遺産に登録された。
"""
ANSWERS = {
    "长城是什么时候列入世界文化遗产的？": "1987年，长城被联合国教科文组织列入世界文化遗产名录。",
    "什么是长城？": "长城是中国古代的军事防御工程，东起辽宁虎山，西至甘肃嘉峪关。",
    "谁审核报销单？": "报销单由财务部王芳审核。",
    "年假要提前多久申请？": "年假须提前两周向部门经理申请。",
    "味噌とは何ですか？": "味噌は大豆に麹と塩を加えて発酵させた日本の調味料です。",
    "豆味噌はどこで作られていますか？": "豆味噌は愛知県を中心に作られています。",
    "味噌はどこで保存すればいいですか？": "開封した味噌は冷蔵庫で保存してください。",
    "富士山の高さは？": "富士山は静岡県と山梨県にまたがる活火山で、標高は3776メートルである。",
}


@pytest.fixture
def shelf(settings: Settings, tmp_path: Path) -> Settings:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in {"长城.md": WALL, "手册.txt": HANDBOOK, "味噌.md": MISO, "富士山.md": FUJI}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return settings


async def test_the_answer_is_the_first_sentence(shelf: Settings) -> None:
    for question, answer in ANSWERS.items():
        report = await research(question, settings=shelf)
        assert re.match(rf"(?:[^:]+: )?{re.escape(answer)}", texts_of(report)[0]), report.markdown


async def test_what_no_file_speaks_of_is_not_found(shelf: Settings) -> None:
    for question in ("谁赢得了1966年世界杯？", "東京タワーは何年に完成しましたか？"):
        assert (await research(question, settings=shelf)).outcome == "nothing_found"


async def test_a_word_that_no_file_has_is_told(shelf: Settings) -> None:
    assert (await research("金字塔是长城吗？", settings=shelf)).unmentioned == ["金字塔"]
