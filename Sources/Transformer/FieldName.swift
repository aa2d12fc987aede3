/// A field of a type, by name.
struct FieldName: Sendable, Hashable {
    var type: String
    var field: String

    /// `Post.comments`, for messages.
    var text: String { "\(type).\(field)" }
}
