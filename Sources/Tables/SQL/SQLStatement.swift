/// A statement that is run once, and the values of its parameters.
struct SQLStatement: Sendable {
    var text: String
    var values: [Value]

    init(_ text: String, _ values: [Value] = []) { (self.text, self.values) = (text, values) }
}
