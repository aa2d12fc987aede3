public import JSON

/// A rename of version 1 that keeps data: an entry of a draft's `renames`, for the plan of a migration. The entries of a
/// sequence are applied in their order.
public enum SchemaRename: Sendable, Hashable {
    /// The table of a model.
    case type(old: String, new: String)
    /// An attribute of a model's items: a field, or a generated key.
    case field(type: String, old: String, new: String)

    /// The rename as a request of the operators' API has it.
    public var json: JSONValue {
        switch self {
        case .type(let old, let new): ["type": .string(old), "to": .string(new)]
        case .field(let type, let old, let new):
            ["type": .string(type), "field": .string(old), "to": .string(new)]
        }
    }

    /// The rename as `syncline migrate --rename` takes it: `Post=Article`, `Post.title=headline`.
    public var argument: String {
        switch self {
        case .type(let old, let new): "\(old)=\(new)"
        case .field(let type, let old, let new): "\(type).\(old)=\(new)"
        }
    }
}
