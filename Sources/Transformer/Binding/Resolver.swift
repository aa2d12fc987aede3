/// What one field does when it is selected. A field without a resolver is a plain property of its parent.
public enum Resolver: Sendable, Hashable {
    /// `Query.getPost`: the item with this primary key, or null.
    case getItem(GetItem)
    /// `Query.listPosts`, the query field of an index, or a connection to many: a page of items.
    case query(QueryItems)
    /// `Query.syncPosts`: a page of all items of a model with versions, or of those that have changed since a device
    /// last asked, deleted ones included.
    case sync(model: Int)
    /// A connection to one: the item whose primary key stands in columns of the parent.
    case related(RelatedItem)
    /// `Mutation.createPost`.
    case createItem(model: Int)
    /// `Mutation.updatePost`.
    case updateItem(model: Int)
    /// `Mutation.deletePost`.
    case deleteItem(model: Int)
    /// A field whose value is given by steps that wait for something else than the store: functions.
    case pipeline([PipelineStep])
    /// A field of `Subscription` that follows these fields of `Mutation`; generated or written by hand.
    case subscription(mutations: [String])
}
