import GraphQL

/// One field of a response object: where it stands there, and what it is.
///
/// A class, because a row's walk goes over all its fields: one count a field instead of one for each part of it.
final class PlannedField: Sendable {
    let responseKey: String
    /// `"title":`, ready to be copied.
    let key: [UInt8]
    /// `@skip` and `@include` that depend on variables; nil is always.
    private let inclusion: Inclusion?
    /// Where the field stands in the document, in bytes; line and column are counted when an error asks.
    let offset: UInt32
    let fieldName: String
    let parentName: String
    /// The innermost type's name, as messages print it.
    let typeName: String
    let isNonNull: Bool
    let resolution: Resolution
    /// Where a request's decisions about the field are; nil of a field without rules.
    let authorization: FieldAuthorization?

    init(
        responseKey: String, key: [UInt8], inclusion: Inclusion, offset: UInt32, fieldName: String, parentName: String,
        typeName: String, isNonNull: Bool, resolution: Resolution, authorization: FieldAuthorization?
    ) {
        self.responseKey = responseKey
        self.key = key
        self.inclusion = inclusion.isAlways ? nil : inclusion
        self.offset = offset
        self.fieldName = fieldName
        self.parentName = parentName
        self.typeName = typeName
        self.isNonNull = isNonNull
        self.resolution = resolution
        self.authorization = authorization
    }

    /// A response key and its colon, ready to be copied.
    static func key(_ responseKey: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(responseKey.utf8.count + 3)
        key.append(UInt8(ascii: "\""))
        var text = responseKey
        text.withUTF8 { unsafe key.append(contentsOf: $0) }
        key.append(UInt8(ascii: "\""))
        key.append(UInt8(ascii: ":"))
        return key
    }

    /// Whether the field is part of the response whatever the variables.
    var isAlwaysIncluded: Bool { inclusion == nil }

    /// Whether the field is part of the response to these variables.
    func isIncluded(_ variables: VariableValues) -> Bool { inclusion?.holds(variables) ?? true }
}
