import Tables

extension Value {
    /// The value as a part of a key in the operators' API.
    var keyPart: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): "\(number)"
        case .text(let text): text
        }
    }
}
