/// An enum and its values, both by their names in the schema.
struct CodegenEnum {
    let name: String
    let values: [String]
}
