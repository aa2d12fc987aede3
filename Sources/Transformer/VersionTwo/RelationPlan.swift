import Tables

/// How a generated relation of version 2 is bound once all columns are known.
enum RelationPlan {
    /// A page of the related model's items, by these columns of the parent.
    case page(Relation, columns: [String], access: Access, hasSortArgument: Bool)
    /// The item whose primary key these columns of the parent hold.
    case item(Relation, columns: [String])
    /// The first item of an index whose whole key these columns of the parent hold.
    case itemOfIndex(Relation, columns: [String], access: Access)
}
