/// Whole numbers as texts of one length, so that they are ordered as numbers are.
package enum SortableNumber {
    /// A number of 19 digits; 0 for one that is negative.
    package static func text(_ number: Int64) -> String {
        let digits = String(max(0, number))
        return String(repeating: "0", count: 19 - digits.count) + digits
    }
}
