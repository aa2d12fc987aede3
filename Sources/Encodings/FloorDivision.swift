/// Division that rounds down, so that moments before 1970 are counted as those after it.
public enum FloorDivision {
    /// The quotient and a remainder that is not negative; the divisor is positive.
    public static func divide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
