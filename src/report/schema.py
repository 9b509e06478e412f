"""The published JSON Schema of a report: `python -m spyglass.report.schema > docs/report.schema.json` writes it."""

import json
import sys
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from .report import FORMAT, Report

ID: Final = f"urn:spyglass:report:{FORMAT}"


class _SavedFormat(GenerateJsonSchema):
    """Marks every field as required, since a saved report has all, and omits titles that repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 the library's signature
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: ARG002 the library's signature
        return True


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a report saved as `.json`."""
    generated = Report.model_json_schema(mode="serialization", schema_generator=_SavedFormat)
    return {"$schema": GenerateJsonSchema.schema_dialect, "$id": ID, **generated, "title": "Spyglass report"}


def text() -> str:
    """Return the schema as the text of the published file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
