/// Counts with their nouns: `1 model`, `2 models`, `1 index`, `0 indexes`.
package enum Counted {
    /// - Parameter plural: The noun of other counts than one; by default with an `s`.
    package static func text(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? "\(noun)s")"
    }
}
