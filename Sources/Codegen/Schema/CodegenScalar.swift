/// A scalar that generated code knows.
struct CodegenScalar {
    /// Its type in Swift.
    let swiftType: String
    /// Its type in the Swift schema of a model.
    let schemaType: String

    private init(_ swiftType: String, _ schemaType: String) {
        (self.swiftType, self.schemaType) = (swiftType, schemaType)
    }

    private static let text = CodegenScalar("String", ".string")
    private static let integer = CodegenScalar("Int", ".int")

    /// The scalars by their names in the schema.
    static let all: [String: CodegenScalar] = [
        "ID": text, "String": text, "Int": integer, "Float": CodegenScalar("Double", ".double"),
        "Boolean": CodegenScalar("Bool", ".bool"), "AWSDate": CodegenScalar("Temporal.Date", ".date"),
        "AWSTime": CodegenScalar("Temporal.Time", ".time"),
        "AWSDateTime": CodegenScalar("Temporal.DateTime", ".dateTime"), "AWSTimestamp": integer, "AWSEmail": text,
        "AWSJSON": text, "AWSURL": text, "AWSPhone": text, "AWSIPAddress": text,
    ]
}
