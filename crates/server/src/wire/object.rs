//! Objects that are read as objects only. Without this, a list whose items are in the order of an object's members
//! would be read as that object, and nobody would notice that a call is wrong.

use serde::{Deserializer, de::Visitor, forward_to_deserialize_any};

/// A deserializer that reads a struct from an object and from nothing else.
pub(crate) struct Object<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Object<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// For types that are derived as `remote = "Self"`: reads them as objects, and writes them as they are.
macro_rules! object {
    ($($name:ident),+ $(,)?) => {
        $crate::wire::object::read_as_object!($($name),+);
        $(
            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                    Self::serialize(self, s)
                }
            }
        )+
    };
}

/// For types that are derived as `remote = "Self"`: reads them as objects.
macro_rules! read_as_object {
    ($($name:ident),+ $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Self::deserialize($crate::wire::object::Object(d))
            }
        }
    )+};
}

pub(crate) use {object, read_as_object};
