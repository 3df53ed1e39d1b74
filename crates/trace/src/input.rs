//! One input model for all conventions: an ordered list of named objects with bytes.

use serde::{Deserialize, Serialize};
pub use trace_abi::{
    Distribution, ENV_RANDOM, MAX_CONNECTIONS, ObjectKind, Pieces, ValueType, WrongDistribution,
};

/// An input of a program.
///
/// Order: first all objects that exist before the run (standard input, files, arguments, the fuzz
/// buffer), then the typed values in the order in which the run asks for them. An input byte is named by
/// (object index, offset), the same pair that `Op::Input` nodes carry.
#[derive(Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Input {
    /// The objects.
    pub objects: Vec<Object>,
}

/// One named object.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// What it is.
    #[serde(with = "kind_serde")]
    pub kind: ObjectKind,
    /// Its name: a path for files (`@@` for the scratch file), an index for arguments, the name given in
    /// the source for values.
    pub name: String,
    /// Type of a value; [`ValueType::Bytes`] for all else.
    #[serde(with = "type_serde")]
    pub value_type: ValueType,
    /// Its bytes.
    pub data: Vec<u8>,
}

// By hand for `clone_from`, which allocates nothing where the old input was as long: mutants are made by the million.
impl Clone for Input {
    fn clone(&self) -> Input {
        Input { objects: self.objects.clone() }
    }

    fn clone_from(&mut self, from: &Input) {
        self.objects.clone_from(&from.objects);
    }
}

impl Clone for Object {
    fn clone(&self) -> Object {
        let Object { kind, name, value_type, data } = self;
        Object { kind: *kind, name: name.clone(), value_type: *value_type, data: data.clone() }
    }

    fn clone_from(&mut self, from: &Object) {
        let Object { kind, name, value_type, data } = from;
        (self.kind, self.value_type) = (*kind, *value_type);
        self.name.clone_from(name);
        self.data.clone_from(data);
    }
}

impl Input {
    /// An input of one object: standard input.
    pub fn stdin(data: impl Into<Vec<u8>>) -> Input {
        Input { objects: vec![Object::new(ObjectKind::Stdin, "stdin", data)] }
    }

    /// Whether a run on it ends quietly when it asks for more values than there are.
    pub fn ends(&self) -> bool {
        self.objects.iter().any(|o| o.kind == ObjectKind::End)
    }

    /// The same input, on which a run ends when it asks for more values than there are. One that is bytes only has an end.
    pub fn ending(mut self) -> Input {
        let has = |kind| self.objects.iter().any(|o: &Object| o.kind == kind);
        let is_bytes = (has(ObjectKind::Stdin) || has(ObjectKind::Connection)) && !has(ObjectKind::Value);
        if !self.ends() && !is_bytes {
            // At the end: objects are known by their place.
            self.objects.push(Object::new(ObjectKind::End, "end", []));
        }
        self
    }

    /// Total number of bytes.
    pub fn len(&self) -> usize {
        self.objects.iter().map(|o| o.data.len()).sum()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The byte at `offset` of object `object`, or `None` outside.
    pub fn byte(&self, object: u32, offset: u32) -> Option<u8> {
        self.objects.get(object as usize)?.data.get(offset as usize).copied()
    }
}

impl Object {
    /// An object of raw bytes.
    pub fn new(kind: ObjectKind, name: impl Into<String>, data: impl Into<Vec<u8>>) -> Object {
        Object { kind, name: name.into(), value_type: ValueType::Bytes, data: data.into() }
    }
}

mod kind_serde {
    use super::ObjectKind;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    pub fn serialize<S: Serializer>(k: &ObjectKind, s: S) -> Result<S::Ok, S::Error> {
        (*k as u32).serialize(s)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<ObjectKind, D::Error> {
        let n = u32::deserialize(d)?;
        ObjectKind::from_u32(n).ok_or_else(|| D::Error::custom(format!("no object kind {n}")))
    }
}

mod type_serde {
    use super::ValueType;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    pub fn serialize<S: Serializer>(k: &ValueType, s: S) -> Result<S::Ok, S::Error> {
        (*k as u32).serialize(s)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<ValueType, D::Error> {
        let n = u32::deserialize(d)?;
        ValueType::from_u32(n).ok_or_else(|| D::Error::custom(format!("no value type {n}")))
    }
}
