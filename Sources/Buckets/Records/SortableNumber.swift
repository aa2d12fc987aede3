/// Whole numbers as texts of one length, so that they are ordered as numbers are.
enum SortableNumber {
    static func text(_ number: Int64) -> String {
        let digits = String(max(0, number))
        return String(repeating: "0", count: 19 - digits.count) + digits
    }
}
