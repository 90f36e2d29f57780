"""Writes the golden files beside this script: A2A messages as protobuf's own JSON writer
spells them.

    python -m venv VENV && VENV/bin/pip install "a2a-sdk==1.3.0"
    VENV/bin/python generate.py

The values are invented here, walked from the descriptors of the SDK's generated types, so every
field of every message occurs. One file per message, with a list of cases:

name     which values: minimal, full, odd, or full with one member of a oneof
proto    google.protobuf.json_format over the message
snake    the same with the proto's own field names (only where it differs)
emitted  what our writer writes for it (only where it differs from `proto`): REQUIRED defaults
         are there, timestamps have exactly three decimals, an empty `metadata` is not
"""

import json
import pathlib
import re

from a2a.types import a2a_pb2
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.struct_pb2 import Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

HERE = pathlib.Path(__file__).parent
REQUIRED = 2  # google.api.FieldBehavior.REQUIRED

ODD_TEXTS = [
    'quotes " and \\ and / and <b>&amp;</b>',
    'tab\tnewline\nreturn\rnul\0 bell\a',
    'ñandú 東京 🦜 e\u0301 \u202e rtl \u2028 line',
    ' leading and trailing ',
    'null',
]
ODD_TIMES = [
    '2026-01-31T08:30:00.123456789Z',
    '1969-12-31T23:59:59.999500Z',
    '0001-01-01T00:00:00Z',
    '9999-12-30T21:59:59.999Z',
    '2024-02-29T23:59:59.000001Z',
]
ODD_BYTES = [bytes(range(256)), b'', b'\xfb\xff\xbf', b'a', b'ab']
ODD_VALUES = [
    None, True, False, 0, -1, 2.5, 1e300, -1e-300, 9007199254740991, '', 'text', [], {},
    [None, [1, [2, [3]]], {}], {'': None, 'a.b': {'c': [{'d': 1.25}]}, 'e': False},
]


class Values:
    """A source of field values; `kind` is full or odd."""

    def __init__(self, kind):
        self.kind = kind
        self.drawn = 0

    def pick(self, odd):
        self.drawn += 1
        return odd[self.drawn % len(odd)]

    def text(self, field):
        return self.pick(ODD_TEXTS) if self.kind == 'odd' else f'{field.json_name} of full'

    def number(self, field):
        return self.pick([0, -1, 2147483647, -2147483648, 100]) if self.kind == 'odd' else 7

    def enum(self, field):
        if self.kind == 'odd':
            return self.pick([0, 1, 99, -3])
        return field.enum_type.values[-1].number

    def bytes(self):
        return self.pick(ODD_BYTES) if self.kind == 'odd' else b'\x00full\xff'

    def time(self):
        return self.pick(ODD_TIMES) if self.kind == 'odd' else '2026-01-31T08:30:00.250Z'

    def struct(self):
        if self.kind == 'odd':
            return self.pick([{}, {'v': self.pick(ODD_VALUES)}])
        return {'urn:example:ext': {'list': [1, 2.5, 'x'], 'flag': True}}

    def value(self):
        return self.pick(ODD_VALUES) if self.kind == 'odd' else {'key': 'value', 'count': 42}


def required(field):
    for option, behaviours in field.GetOptions().ListFields():
        if option.name == 'field_behavior' and REQUIRED in behaviours:
            return True
    return False


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def real_oneof(field):
    """The oneof of a field, unless it only stands for `optional`."""
    oneof = field.containing_oneof
    return oneof if oneof is not None and len(oneof.fields) > 1 else None


def fill_message(message, values, depth, member=0):
    """Sets every field of a well-known or ordinary message."""
    if isinstance(message, Struct):
        json_format.ParseDict(values.struct(), message)
    elif isinstance(message, Value):
        json_format.ParseDict(values.value(), message)
    elif isinstance(message, Timestamp):
        message.FromJsonString(values.time())
    else:
        fill(message, values, depth, member)


def scalar(field, values):
    if field.cpp_type == Field.CPPTYPE_ENUM:
        return values.enum(field)
    if field.cpp_type == Field.CPPTYPE_INT32:
        return values.number(field)
    if field.cpp_type == Field.CPPTYPE_BOOL:
        return True
    if field.type == Field.TYPE_BYTES:
        return values.bytes()
    return values.text(field)


def fill(message, values, depth=0, member=0):
    """Sets every field; of a oneof, the member with this number."""
    for field in message.DESCRIPTOR.fields:
        oneof = real_oneof(field)
        if oneof is not None:
            chosen = oneof.fields[(member + depth) % len(oneof.fields)]
            if field.name != chosen.name:
                continue
        target = getattr(message, field.name)
        if is_map(field):
            for key in ('first', 'second key'):
                inner = field.message_type.fields_by_name['value']
                if inner.message_type is None:
                    target[key] = scalar(inner, values)
                else:
                    fill_message(target[key], values, depth + 1, member)
        elif field.is_repeated:
            for index in range(2):
                if field.message_type is None:
                    target.append(scalar(field, values))
                else:
                    fill_message(target.add(), values, depth + 1, member + index)
        elif field.message_type is None:
            setattr(message, field.name, scalar(field, values))
        else:
            target.SetInParent()
            fill_message(target, values, depth + 1, member)


def fill_minimal(message):
    """Sets what is REQUIRED, and of a oneof the first member."""
    for field in message.DESCRIPTOR.fields:
        oneof = real_oneof(field)
        if not required(field) and (oneof is None or oneof.fields[0].name != field.name):
            continue
        target = getattr(message, field.name)
        if field.message_type is not None and not is_map(field):
            if field.is_repeated:
                target = target.add()
            target.SetInParent()
            fill_minimal(target)
        elif field.cpp_type == Field.CPPTYPE_ENUM:
            setattr(message, field.name, 1)
        elif field.cpp_type == Field.CPPTYPE_INT32:
            setattr(message, field.name, 1)
        elif field.is_repeated:
            if not is_map(field):
                target.append('x')
        elif field.type == Field.TYPE_STRING:
            setattr(message, field.name, 'x')


def to_millis(text):
    seconds, fraction = re.fullmatch(r'(.*:\d\d)(?:\.(\d+))?Z', text).groups()
    return f'{seconds}.{(fraction or "").ljust(9, "0")[:3]}Z'


def default_of(field):
    if field.is_repeated:
        return {} if is_map(field) else []
    if field.message_type is not None:
        return emitted(field.message_type, {})
    if field.cpp_type == Field.CPPTYPE_ENUM:
        return field.enum_type.values[0].name
    return field.default_value


def emitted(descriptor, proto):
    """What our writer makes of the JSON that protobuf's writer wrote."""
    if descriptor.full_name == 'google.protobuf.Timestamp':
        return to_millis(proto)
    if descriptor.full_name.startswith('google.protobuf.'):
        return proto
    out = {}
    for field in descriptor.fields:
        if field.json_name not in proto:
            if required(field):
                out[field.json_name] = default_of(field)
            continue
        value = proto[field.json_name]
        if field.json_name == 'metadata' and value == {}:
            continue
        if is_map(field):
            inner = field.message_type.fields_by_name['value'].message_type
            if inner is not None:
                value = {key: emitted(inner, item) for key, item in value.items()}
        elif field.message_type is not None and field.is_repeated:
            value = [emitted(field.message_type, item) for item in value]
        elif field.message_type is not None:
            value = emitted(field.message_type, value)
        out[field.json_name] = value
    return out


def case(name, message):
    proto = json_format.MessageToDict(message)
    snake = json_format.MessageToDict(message, preserving_proto_field_name=True)
    ours = emitted(message.DESCRIPTOR, proto)
    # What we write must be readable with the SDK: a ParseError here ends the script.
    json_format.ParseDict(ours, type(message)())
    made = {'name': name, 'proto': proto}
    if snake != proto:
        made['snake'] = snake
    if ours != proto:
        made['emitted'] = ours
    return made


def members(descriptor):
    """How many members the largest oneof below this message has."""
    sizes = [len(oneof.fields) for oneof in descriptor.oneofs]
    for field in descriptor.fields:
        inner = field.message_type
        if inner is not None and inner.file.name == descriptor.file.name:
            sizes.append(members(inner))
    return max(sizes, default=1)


def cases(cls):
    has_payload = cls.DESCRIPTOR.name in ('SendMessageResponse', 'StreamResponse')
    if not has_payload:
        yield case('empty', cls())
    message = cls()
    fill_minimal(message)
    yield case('minimal', message)
    for kind in ('full', 'odd'):
        for member in range(members(cls.DESCRIPTOR)):
            values = Values(kind)
            values.drawn = member
            message = cls()
            fill(message, values, member=member)
            yield case(f'{kind} {member}', message)


def main():
    for old in HERE.glob('*.json'):
        old.unlink()
    for name, descriptor in sorted(a2a_pb2.DESCRIPTOR.message_types_by_name.items()):
        # One case on a line: readable differences without megabytes of indentation.
        lines = [
            json.dumps(made, ensure_ascii=True, allow_nan=False, separators=(',', ':'))
            for made in cases(getattr(a2a_pb2, name))
        ]
        (HERE / f'{name}.json').write_text('[\n' + ',\n'.join(lines) + '\n]\n')


if __name__ == '__main__':
    main()
