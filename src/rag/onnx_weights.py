"""Replaces weights in an ONNX file, of which only the few fields on the way to them are described here."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    """Return the message of a model by the field numbers of onnx.proto; all other fields are kept as they are."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    field = descriptor_pb2.FieldDescriptorProto
    described = descriptor_pb2.FileDescriptorProto(name="spyglass/onnx_weights.proto", package="spyglass.onnx")
    for message, number, name, kind, label in (
        ("Tensor", 1, "dims", field.TYPE_INT64, field.LABEL_REPEATED),
        ("Tensor", 4, "float_data", field.TYPE_FLOAT, field.LABEL_REPEATED),
        ("Tensor", 5, "int32_data", field.TYPE_INT32, field.LABEL_REPEATED),
        ("Tensor", 8, "name", field.TYPE_STRING, field.LABEL_OPTIONAL),
        ("Tensor", 9, "raw_data", field.TYPE_BYTES, field.LABEL_OPTIONAL),
        ("Graph", 5, "initializer", "Tensor", field.LABEL_REPEATED),
        ("Model", 7, "graph", "Graph", field.LABEL_OPTIONAL),
    ):
        known = [one for one in described.message_type if one.name == message]
        own = (known or [described.message_type.add(name=message)])[0].field.add(name=name, number=number, label=label)
        if isinstance(kind, str):
            own.type, own.type_name = field.TYPE_MESSAGE, f".spyglass.onnx.{kind}"
        else:
            own.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.Add(described)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("spyglass.onnx.Model"))
