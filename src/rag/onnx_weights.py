"""Replaces weights in an ONNX file, of which only the few fields on the way to them are described here."""

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


def with_weights(model: bytes, weights: Mapping[str, "NDArray[Any]"]) -> tuple[bytes, dict[str, "NDArray[Any]"]]:
    """Return an ONNX model with weights in place of its own, and those whose shape is not that of its own. Blocks.

    The latter, such as a larger vocabulary, are left to be given to the session beside the model, which needs no copies
    of them. Optimizations that change weights do not see these: with those for exact products on processors without
    VNNI the model's own weights would stay in use.

    Raises ValueError if the model has no weights of a name, or of another type.
    """
    read = _model_class().FromString(model)
    missing, beside = dict(weights), dict[str, Any]()
    for tensor in read.graph.initializer:
        own = missing.pop(tensor.name, None)
        if own is not None and own.shape == tuple(tensor.dims):
            if tensor.raw_data and len(tensor.raw_data) != own.nbytes:
                raise ValueError(f"the weights {tensor.name} are of another type: {own.dtype}")
            tensor.raw_data = own.tobytes()
            del tensor.float_data[:], tensor.int32_data[:]  # where small ones may be kept instead
        elif own is not None:
            beside[tensor.name] = own
    if missing:
        raise ValueError(f"the model has no weights {', '.join(missing)}")
    return bytes(read.SerializeToString()), beside


@cache
def _model_class() -> Any:
    """Return the message of a model."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

    pool = descriptor_pool.DescriptorPool()
    pool.Add(text_format.Parse(_DESCRIBED, descriptor_pb2.FileDescriptorProto()))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("spyglass.onnx.Model"))
