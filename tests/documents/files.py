"""Real files of many kinds, made here: small ones that are sound, and ones that mean harm."""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence

import openpyxl
import pptx
import pypdfium2
from PIL import Image, ImageDraw, ImageFont

Placed = tuple[float, float, str]
"""A run of text on a page: x and y of its start in points from the lower left, and its words."""


def paragraphs(*lines: str) -> list[Placed]:
    """Place lines one under another, as a page of prose has them."""
    return [(72, 760 - 14 * i, line) for i, line in enumerate(lines)]


def pdf(
    *pages: Sequence[Placed],
    title: str = "",
    password: str = "",
    outline: Sequence[tuple[str, int]] = (),
    lines: Sequence[tuple[float, float, float, float]] = (),
    areas: Sequence[tuple[float, float, float, float]] = (),
) -> bytes:
    """Return a PDF with the given pages; a page without text shows a grey picture, as a scan does.

    The outline has titles with the number of their page, from 0. `lines` are drawn on each page, from a point to
    another, and `areas`, of a width and a height from their lower left corner.
    """
    objects: list[bytes] = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", _picture()]
    kids = []
    for page in pages:
        strokes = " ".join(f"{x} {y} m {to_x} {to_y} l S" for x, y, to_x, to_y in lines)
        strokes += "".join(f" 0.9 g {x} {y} {width} {height} re f 0 g" for x, y, width, height in areas)
        objects.append(_stream(strokes.encode() + b" " + _drawn(page)))
        resources = "<< /Font << /F 3 0 R >> /XObject << /P 4 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {resources} "
            f"/Contents {len(objects)} 0 R >>".encode()
        )
        kids.append(f"{len(objects)} 0 R")
    first = len(objects) + 1
    for place, (text, number) in enumerate(outline):
        after = f"/Next {first + place + 1} 0 R" if place + 1 < len(outline) else ""
        entry = f"<< /Title ({text}) /Parent {first + len(outline)} 0 R {after} /Dest [{kids[number]} /Fit] >>"
        objects.append(entry.encode("latin-1"))
    last = first + len(outline) - 1
    objects.append(f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(outline)} >>".encode())
    outlines = f"/Outlines {len(objects)} 0 R" if outline else ""
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R {outlines} >>".encode()
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    objects.append(b"<< /Title (" + title.encode("latin-1") + b") >>")
    trailer = f"/Root 1 0 R /Info {len(objects)} 0 R".encode()
    if password:
        trailer += b" /Encrypt " + _locked(password)
    return _assembled(objects, trailer)


def ruled(columns: Sequence[float], rows: Sequence[float]) -> list[tuple[float, float, float, float]]:
    """Return the lines of a table at these places across and up the page."""
    across = [(columns[0], y, columns[-1], y) for y in rows]
    return across + [(x, rows[-1], x, rows[0]) for x in columns]


def _drawn(page: Sequence[Placed]) -> bytes:
    if not page:
        return b"q 500 0 0 700 50 50 cm /P Do Q"
    shown = [f"1 0 0 1 {x} {y} Tm ({_escaped(text)}) Tj" for x, y, text in page]
    return ("BT /F 10 Tf " + " ".join(shown) + " ET").encode("latin-1")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _stream(data: bytes, entries: str = "") -> bytes:
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def _picture() -> bytes:
    entries = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
    return _stream(b"\x80", entries)


def _assembled(objects: Sequence[bytes], trailer: bytes) -> bytes:
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
    end = f"trailer\n<< /Size {len(objects) + 1} ".encode() + trailer
    return body + table.encode() + end + f" >>\nstartxref\n{len(body)}\n%%EOF\n".encode()


def _locked(password: str) -> bytes:
    """Return the encryption dictionary of revision 2 (ISO 32000-1, 7.6.3); it locks whatever the content is."""
    padding = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
    padded = (password.encode() + padding)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    key = hashlib.md5(padded + owner + struct.pack("<i", -4)).digest()[:5]
    user = _rc4(key, padding)
    return f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4 >>".encode()


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def zipped(entries: Mapping[str, bytes | str]) -> bytes:
    """Return a zip of the given entries."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return target.getvalue()


_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: str, *, title: str = "", linked: str = "", **parts: bytes) -> bytes:
    """Return a Word document with the given body, in WordprocessingML; further parts go into its media folder.

    `linked` is the address of a picture that is not in the document; its relationship is `linked`.
    """
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    links = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
    pictures = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/image" Target="media/{name}.png"/>' for name in parts
    )
    if linked:
        pictures += f'<Relationship Id="linked" Type="{_OFFICE}/image" Target="{linked}" TargetMode="External"/>'
    core = f'<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></p>'
    return zipped(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>',
            "docProps/core.xml": core,
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": (
                f'<Relationships xmlns="{_PACKAGE}/relationships">{pictures}</Relationships>'
            ),
            **{f"word/media/{name}.png": data for name, data in parts.items()},
        }
    )


def words(*lines: str) -> str:
    """Return paragraphs for the body of a Word document."""
    return "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in lines)


def xlsx(sheets: Mapping[str, Mapping[str, object]]) -> bytes:
    """Return a workbook: for each sheet its cells, by address."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, cells in sheets.items():
        sheet = book.create_sheet(name)
        for address, value in cells.items():
            sheet[address] = value
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def slides(*pages: tuple[str, str]) -> bytes:
    """Return a presentation: for each slide its title and its text."""
    deck = pptx.Presentation()
    for title, text in pages:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    target = io.BytesIO()
    deck.save(target)
    return target.getvalue()


def epub(title: str, *chapters: str) -> bytes:
    """Return a book: each chapter as the inside of an XHTML body."""
    items = "".join(f'<item id="c{i}" href="c{i}.xhtml"/>' for i in range(len(chapters)))
    spine = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
    texts = {f"c{i}.xhtml": f"<html><body>{chapter}</body></html>" for i, chapter in enumerate(chapters)}
    return zipped({"mimetype": "application/epub+zip", "META-INF/container.xml": container, "book.opf": opf, **texts})


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Return a container of Microsoft's older programs (MS-CFB, version 3) with the given streams in its root."""
    sector, free, end, table = 512, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    padded = [data.ljust(4096, b"\0") + b"\0" * (-len(data.ljust(4096)) % sector) for data in streams.values()]
    directory_length = -(-(len(streams) + 1) // 4)
    chain, starts = [table, *range(2, directory_length + 1), end], []
    for data in padded:
        starts.append(len(chain))
        chain += [*range(len(chain) + 1, len(chain) + len(data) // sector), end]
    assert len(chain) <= sector // 4, "one sector of the allocation table holds 128 entries"
    entries = [_entry("Root Entry", 5, end, 0, 1)]
    for i, (name, data) in enumerate(zip(streams, padded, strict=True)):
        entries.append(_entry(name, 2, starts[i], len(data), i + 2 if i + 1 < len(streams) else free, right=True))
    entries += [_entry("", 0, 0, 0, free)] * (directory_length * 4 - len(entries))
    header = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, end, 0, end, 0, 0)
    header += struct.pack("<108I", *[free] * 108)
    tables = struct.pack(f"<{sector // 4}I", *chain, *[free] * (sector // 4 - len(chain)))
    return header + tables + b"".join(entries) + b"".join(padded)


def _entry(name: str, kind: int, start: int, size: int, link: int, *, right: bool = False) -> bytes:
    encoded = (name + "\0").encode("utf-16-le") if name else b""
    none = 0xFFFFFFFF
    links = (none, link, none) if right else (none, none, link)
    head = struct.pack("<64sHBBIII", encoded, len(encoded), kind, 1, *links)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def message(subject: str, body: str) -> bytes:
    """Return an Outlook message."""
    return compound(
        {
            "__properties_version1.0": b"",
            "__substg1.0_0037001F": subject.ljust(2048).encode("utf-16-le"),
            "__substg1.0_1000001F": body.ljust(2048).encode("utf-16-le"),
        }
    )


def xls(name: str, rows: Sequence[Sequence[str | float]]) -> bytes:
    """Return a workbook of Excel 5 (BIFF5) with one sheet."""
    cells = b""
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if isinstance(value, str):
                encoded = value.encode("cp1252")
                cells += _record(0x204, struct.pack("<HHHH", i, j, 0, len(encoded)) + encoded)
            else:
                cells += _record(0x203, struct.pack("<HHHd", i, j, 0, value))
    globals_start = _record(0x809, struct.pack("<HHHH", 0x500, 5, 0, 0)) + _record(0x42, struct.pack("<H", 1252))
    place = len(globals_start) + 4 + 7 + len(name) + 4
    listed = _record(0x85, struct.pack("<IHB", place, 0, len(name)) + name.encode("cp1252"))
    sheet = _record(0x809, struct.pack("<HHHH", 0x500, 0x10, 0, 0)) + cells + _record(0x0A, b"")
    return compound({"Book": globals_start + listed + _record(0x0A, b"") + sheet})


def _record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def png() -> bytes:
    """Return a picture of one grey point."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\x80")),
        (b"IEND", b""),
    ]
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def drawn(*lines: str, size: tuple[int, int] = (1654, 2339), letters: int = 40) -> Image.Image:
    """Return a grey picture of lines of text, of a page of A4 at 200 dots per inch unless another size is given."""
    picture = Image.new("L", size, 255)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(letters)
    for i, line in enumerate(lines):
        draw.text((3 * letters, 3 * letters + 2 * i * letters), line, fill=0, font=font)
    return picture


def saved(*pages: Image.Image, form: str = "PNG", **options: object) -> bytes:
    """Return pictures as one file of a format; PNG, JPEG and WebP hold one."""
    target = io.BytesIO()
    first, *others = pages
    if others:
        options |= {"save_all": True, "append_images": others}
    first.save(target, form, **options)
    return target.getvalue()


def scan(*pages: Sequence[str], dots: float = 200) -> bytes:
    """Return a PDF of pictures of pages, each with these lines, at so many dots per inch."""
    return saved(*(drawn(*lines) for lines in pages), form="PDF", resolution=dots)


def joined(*documents: bytes) -> bytes:
    """Return the pages of several PDFs as one."""
    target = io.BytesIO()
    with pypdfium2.PdfDocument.new() as whole:
        for data in documents:
            with pypdfium2.PdfDocument(data) as part:
                whole.import_pages(part)
        whole.save(target)
    return target.getvalue()
