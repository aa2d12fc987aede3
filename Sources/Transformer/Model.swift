public import Tables

/// A type with `@model`: a table, and what its mutations must know beyond the schema.
///
/// Every stored attribute is a column of the table, under the same name or the one it is mapped to: the declared fields
/// that are stored, in their declared order, then generated foreign keys in the order they arise, then the timestamps
/// that were added.
public struct Model: Sendable, Hashable {
    /// The name of the object type.
    public var name: String
    /// The index of the model's table in `APIDefinition.tables`.
    public var table: Int
    /// The field that create fills with the present moment; `nil` when switched off or declared with a type that
    /// holds no date.
    public var createdAt: String?
    /// The field that create and update fill with the present moment; `nil` as for `createdAt`.
    public var updatedAt: String?
    /// The fields that create fills with the present moment where it is given none: `createdAt`, `updatedAt`, and in
    /// version 2 non-null dates of these usual names that the directive switches off, for their input is optional.
    public var filledDates: [String]
    /// Whether create generates an `id` when none is given: the create input has an `id` of type `ID` or `String`.
    public var generatesID: Bool
    /// The fields of the primary key in key order: the partition key, then the sort keys.
    public var primaryKey: [String]
    /// The secondary indexes whose sort key has several fields, which create and update take all or none of.
    public var compositeSortKeys: [CompositeSortKey]
    /// The non-null fields which the update input makes optional.
    public var requiredFields: Set<String>
    /// Whether an update that gives null for a required field is refused, as in version 1. In version 2 the attribute is
    /// removed, as any other, and a selection of the field gets the error of a Non-Null field that is null.
    public var refusesNullForRequiredFields: Bool
    /// What create fills in where its input has no value or null, in declared order (`@default`).
    public var defaultValues: [DefaultValue]
    /// Who decides a conflict between two changes of one item; nil of a model without versions, whose table is not
    /// versioned either.
    public var conflictHandler: ConflictHandler?

    /// A model as the transform found it.
    public init(
        name: String, table: Int, createdAt: String? = nil, updatedAt: String? = nil, filledDates: [String] = [],
        generatesID: Bool = true, primaryKey: [String] = ["id"], compositeSortKeys: [CompositeSortKey] = [],
        requiredFields: Set<String> = [], refusesNullForRequiredFields: Bool = true,
        defaultValues: [DefaultValue] = [], conflictHandler: ConflictHandler? = nil
    ) {
        self.name = name
        self.table = table
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.filledDates = filledDates
        self.generatesID = generatesID
        self.primaryKey = primaryKey
        self.compositeSortKeys = compositeSortKeys
        self.requiredFields = requiredFields
        self.refusesNullForRequiredFields = refusesNullForRequiredFields
        self.defaultValues = defaultValues
        self.conflictHandler = conflictHandler
    }
}
