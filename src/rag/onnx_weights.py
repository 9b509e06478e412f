"""Replaces weights in an ONNX file, of which only the few fields on the way to them are described here."""

import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DESCRIBED = """
name: "spyglass/onnx_weights.proto" package: "spyglass.onnx"
message_type {
  name: "Tensor"
  field { name: "dims" number: 1 label: LABEL_REPEATED type: TYPE_INT64 }
  field { name: "float_data" number: 4 label: LABEL_REPEATED type: TYPE_FLOAT }
  field { name: "int32_data" number: 5 label: LABEL_REPEATED type: TYPE_INT32 }
  field { name: "name" number: 8 label: LABEL_OPTIONAL type: TYPE_STRING }
  field { name: "raw_data" number: 9 label: LABEL_OPTIONAL type: TYPE_BYTES }
}
message_type {
  name: "Graph"
  field { name: "initializer" number: 5 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".spyglass.onnx.Tensor" }
}
message_type {
  name: "Model"
  field { name: "graph" number: 7 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".spyglass.onnx.Graph" }
}
"""
"""Fields of onnx.proto by their numbers; all others are kept as they are."""


def with_weights(model: bytes, weights: Mapping[str, "NDArray[Any]"]) -> bytes:
    """Return an ONNX model with weights in place of its own of the same names, perhaps of another shape. Blocks.

    A session could be given them beside the model, but optimizations that change weights would not see them: with those
    for exact products on processors without VNNI the model's own would stay in use.

    Raises ValueError if the model has no weights of a name, or with numbers of another size.
    """
    read = _model_class().FromString(model)
    missing = dict(weights)
    for tensor in read.graph.initializer:
        if (own := missing.pop(tensor.name, None)) is None:
            continue
        if tensor.raw_data and len(tensor.raw_data) != own.itemsize * math.prod(tensor.dims):
            raise ValueError(f"the weights {tensor.name} are of another type: {own.dtype}")
        tensor.raw_data = own.tobytes()
        tensor.dims[:] = own.shape
        del tensor.float_data[:], tensor.int32_data[:]  # where small ones may be kept instead
    if missing:
        raise ValueError(f"the model has no weights {', '.join(missing)}")
    return bytes(read.SerializeToString())


@cache
def _model_class() -> Any:
    """Return the message of a model."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

    pool = descriptor_pool.DescriptorPool()
    pool.Add(text_format.Parse(_DESCRIBED, descriptor_pb2.FileDescriptorProto()))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("spyglass.onnx.Model"))
