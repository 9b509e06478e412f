"""What lasts longer than a test: deadlines that nothing meets, and a document that takes its reader many seconds."""

from documents import files

FOR_EVER = dict.fromkeys(
    [
        "research.agent_deadline",
        "models.deadline",
        "search.deadline",
        "network.connect_deadline",
        "network.read_deadline",
        "fetch.page_deadline",
        "documents.deadline",
    ],
    600.0,
)
"""Nothing ends by a deadline before the test gives up."""

LONG = files.docx(files.words(*(f"Paragraph {i} has some words in it to read." for i in range(20_000))))
"""Takes the converter some seconds."""
