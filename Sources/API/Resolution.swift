import GraphQL

/// What a field is, decided when the operation was planned.
indirect enum Resolution: Sendable {
    /// `__typename`: a JSON string, ready.
    case typename([UInt8])
    /// A column of the parent's row.
    case column(position: Int, Leaf)
    /// A column that holds JSON text: a list or a nested type.
    case json(position: Int, JSONShape)
    /// A property of a nested object.
    case property(String, JSONShape)
    /// The item of a get, or of a connection to one.
    case item(ItemPlan)
    /// The page of a list, a query field, or a connection to many.
    case page(PagePlan)
    /// The page of a sync.
    case sync(SyncPlan)
    /// The write of a mutation field.
    case write(WritePlan)
    /// A field of `Subscription`.
    case subscription(SubscriptionPlan)
    /// `__schema` or `__type`.
    case introspection(IntrospectionPlan)
    /// A value given by a function: a custom root field's resolver.
    case function(FunctionPlan)
    /// A value given by a pipeline, which is run before the walk.
    case pipeline(PipelinePlan)
    /// No resolver and no property: null (reference: appsync-protocol, "Execution and completion errors").
    case null

    /// Whether `Gather` has something to do for the field: it reads items of its own, or waits for a pipeline, or one
    /// in its value does.
    var isGathered: Bool {
        switch self {
        case .item, .page, .sync, .pipeline: true
        case .json(_, let shape), .property(_, let shape): shape.isGathered
        default: false
        }
    }
}
