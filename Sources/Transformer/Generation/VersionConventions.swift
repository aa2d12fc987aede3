/// What common steps of generation and binding do otherwise in the two versions.
struct VersionConventions {
    /// Version 1 keeps the first letter of a type's name in the names of its filters, version 2 raises it.
    let raisesTypeNames: Bool
    /// Version 1 generates the operand inputs with the first filter, version 2 before the first model.
    let generatesOperandInputsFirst: Bool
    /// The directive that names the primary key.
    let primaryKeyDirective: String
    /// Whether the query of an index requires its partition key.
    let requiresIndexPartitionKey: Bool
    /// Whether a primary key rewrites also the inputs of mutations that are not generated. Version 2 has no flag for it.
    let rewritesUnusedInputs: Bool
    /// Whether create fills non-null dates of the usual names that `@model` does not name: their input is optional.
    let fillsUnnamedDates: Bool
    /// Whether generated foreign keys can be required fields of their model.
    let showsForeignKeys: Bool
    /// Whether an update that gives null for a required field is refused.
    let refusesNullForRequiredFields: Bool
    /// The directives that make a list, and a single field, lead to items of another model.
    let listRelation: String
    let singleRelation: String

    static func versionOne(_ options: TransformOptions) -> VersionConventions {
        VersionConventions(
            raisesTypeNames: false, generatesOperandInputsFirst: false, primaryKeyDirective: "key",
            requiresIndexPartitionKey: false, rewritesUnusedInputs: !options.skipOverrideMutationInputTypes,
            fillsUnnamedDates: false, showsForeignKeys: false, refusesNullForRequiredFields: true,
            listRelation: "@connection", singleRelation: "@connection")
    }

    static let versionTwo = VersionConventions(
        raisesTypeNames: true, generatesOperandInputsFirst: true, primaryKeyDirective: "primaryKey",
        requiresIndexPartitionKey: true, rewritesUnusedInputs: false, fillsUnnamedDates: true, showsForeignKeys: true,
        refusesNullForRequiredFields: false, listRelation: "@hasMany",
        singleRelation: "@hasOne or @belongsTo")
}
