extension String {
    /// The first character upper-cased.
    var firstUppercased: String { prefix(1).uppercased() + dropFirst() }

    /// The first character lower-cased.
    var firstLowercased: String { prefix(1).lowercased() + dropFirst() }
}
