//! How ProtoJSON differs from plain serde, field by field.

use std::fmt;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

/// Padding is optional and left-over bits are ignored, as protobuf's own readers do.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Reads a field whose `null` means "absent".
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a field whose `null` is a value of its own (`google.protobuf.Value`).
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads an optional `int32`: a number without fraction, or the same as a string.
pub(super) fn optional_int32<'de, D>(deserializer: D) -> Result<Option<i32>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(Option::<Int32>::deserialize(deserializer)?.map(|value| value.0))
}

/// Reads an `int32` whose absence is zero.
pub(super) fn int32<'de, D>(deserializer: D) -> Result<i32, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(optional_int32(deserializer)?.unwrap_or_default())
}

/// Reads an optional boolean; the words `"true"` and `"false"` count too, since the same
/// request types are read from URL queries, where everything is text.
pub(super) fn optional_bool<'de, D>(deserializer: D) -> Result<Option<bool>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(Option::<Bool>::deserialize(deserializer)?.map(|value| value.0))
}

/// Reads optional `bytes` as base64, standard or url-safe, padded or not.
pub(super) fn optional_base64<'de, D>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(Option::<Base64>::deserialize(deserializer)?.map(|bytes| bytes.0))
}

/// Writes bytes as padded standard base64.
pub(super) fn encode_base64(bytes: &[u8]) -> String {
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

struct Base64(Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64Visitor)
    }
}

struct Base64Visitor;

impl Visitor<'_> for Base64Visitor {
    type Value = Base64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a base64 string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Base64, E> {
        let engine = if text.contains(['-', '_']) {
            &URL_SAFE
        } else {
            &STANDARD
        };
        engine
            .decode(text)
            .map(Base64)
            .map_err(|error| E::custom(format_args!("not base64: {error}")))
    }
}

struct Int32(i32);

impl<'de> Deserialize<'de> for Int32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(NumberVisitor { names: None })
            .map(Int32)
    }
}

/// Reads the number of an enum from its number or its name.
pub(super) fn enum_number<'de, D>(
    deserializer: D,
    names: &'static [(&'static str, i32)],
) -> Result<i32, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(NumberVisitor { names: Some(names) })
}

/// Reads an `int32`, or an enum when it is given the names.
struct NumberVisitor {
    names: Option<&'static [(&'static str, i32)]>,
}

impl Visitor<'_> for NumberVisitor {
    type Value = i32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(names) = self.names else {
            return f.write_str("an integer of 32 bits");
        };
        f.write_str("a number or one of")?;
        names.iter().try_for_each(|(name, _)| write!(f, " {name}"))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<i32, E> {
        i32::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<i32, E> {
        i32::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<i32, E> {
        integral(value).ok_or_else(|| E::invalid_value(de::Unexpected::Float(value), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<i32, E> {
        let named = self
            .names
            .and_then(|names| names.iter().find(|(name, _)| *name == text))
            .map(|(_, number)| *number);
        named
            .or_else(|| text.parse().ok())
            .or_else(|| text.parse().ok().and_then(integral))
            .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
    }
}

/// The `i32` that a double equals exactly, if there is one.
fn integral(value: f64) -> Option<i32> {
    let in_range = value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "range and fraction are checked"
    )]
    (in_range && value.fract() == 0.0).then_some(value as i32)
}

struct Bool(bool);

impl<'de> Deserialize<'de> for Bool {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoolVisitor)
    }
}

struct BoolVisitor;

impl Visitor<'_> for BoolVisitor {
    type Value = Bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or false")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Bool, E> {
        Ok(Bool(value))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Bool, E> {
        match text {
            "true" => Ok(Bool(true)),
            "false" => Ok(Bool(false)),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}

/// A deserializer that admits only JSON objects for structs.
///
/// serde's derive also reads a struct from an array, by position; ProtoJSON does not, and a
/// message that one peer reads and the next refuses is worse than one refused at once.
pub(super) struct ObjectOnly<D>(pub(super) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(MapOnly(visitor))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum
        identifier ignored_any
    }
}

struct MapOnly<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for MapOnly<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }
}

/// Implements `Deserialize` (and with `both`, `Serialize`) for structs derived with
/// `#[serde(remote = "Self")]`, reading them through [`ObjectOnly`].
macro_rules! object {
    (read $($name:ty),+ $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$name>::deserialize($crate::wire::protojson::ObjectOnly(deserializer))
            }
        }
    )+};
    (both $($name:ty),+ $(,)?) => {
        $crate::wire::protojson::object!(read $($name),+);
        $(
            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    <$name>::serialize(self, serializer)
                }
            }
        )+
    };
}

/// Declares an open protobuf enum: known values by name, others kept as `Other(number)`.
macro_rules! open_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(#[$first_meta:meta])* $first:ident = 0 => $first_wire:literal,
            $($(#[$variant_meta:meta])* $variant:ident = $number:literal => $wire:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            $(#[$first_meta])*
            #[default]
            $first,
            $($(#[$variant_meta])* $variant,)+
            /// A number that this version of the protocol does not name.
            Other(i32),
        }

        impl $name {
            const NAMES: &'static [(&'static str, i32)] =
                &[($first_wire, 0), $(($wire, $number),)+];

            /// The value with this protobuf number.
            pub fn from_number(number: i32) -> Self {
                match number {
                    0 => Self::$first,
                    $($number => Self::$variant,)+
                    other => Self::Other(other),
                }
            }

            /// The protobuf number.
            pub fn number(self) -> i32 {
                match self {
                    Self::$first => 0,
                    $(Self::$variant => $number,)+
                    Self::Other(number) => number,
                }
            }

            /// The name on the wire; none for a number that has no name.
            pub fn name(self) -> Option<&'static str> {
                match self {
                    Self::$first => Some($first_wire),
                    $(Self::$variant => Some($wire),)+
                    Self::Other(_) => None,
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.name() {
                    Some(name) => serializer.serialize_str(name),
                    None => serializer.serialize_i32(self.number()),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::protojson::enum_number(deserializer, Self::NAMES)
                    .map(Self::from_number)
            }
        }
    };
}

pub(super) use {object, open_enum};
