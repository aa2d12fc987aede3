public import Tables

/// One item by columns of the parent.
public struct RelatedItem: Sendable, Hashable {
    /// The index of the model that is looked up.
    public var model: Int
    /// The parent's columns that hold the key, in the order of the key that is looked up. A part that is NULL means
    /// that there is no related item.
    public var columns: [String]
    /// The key that is looked up: `.item` is the primary key; `.index` an index of the related model whose whole key
    /// the columns are (`@hasOne(references:)`), and its first item in creation order is the related one.
    public var access: Access

    /// The item of a model that these columns of the parent name.
    public init(model: Int, columns: [String], access: Access = .item) {
        self.model = model
        self.columns = columns
        self.access = access
    }
}
