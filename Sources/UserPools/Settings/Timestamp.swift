import JSON

/// Moments as JSON has them in Cognito's answers: seconds since 1970, with a fraction.
enum Timestamp {
    static func json(_ milliseconds: Int64) -> JSONValue {
        let fraction = String(milliseconds % 1_000)
        return .number("\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)")
    }
}
