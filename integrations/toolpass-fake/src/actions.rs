//! What may be done to a thing.

toolpass_integration::actions! {
    ThingRead   "thing.read"   thing  read         "read";
    ThingWrite  "thing.write"  thing  write        "write to";
    ThingAdmin  "thing.admin"  thing  destructive  "administer";
}
