/// A decimal number read from text, exactly: digits and a power of ten.
///
/// Java's BigDecimal decides in AppSync what a number or a numeric string may become (`5.0` and `"5e0"` are the Int 5,
/// `5.5` is none); this is as much of it as that needs. The grammar: sign, digits with an optional point, exponent.
struct Decimal {
    private var isNegative = false
    /// Without zeros at either end; zero has none.
    private var digits: ArraySlice<UInt8> = []
    /// The value is `digits` × 10^exponent.
    private var exponent = 0

    var isZero: Bool { digits.isEmpty }
    var isInteger: Bool { isZero || exponent >= 0 }

    init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        if bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") {
            isNegative = bytes.removeFirst() == UInt8(ascii: "-")
        }
        let end = bytes.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? bytes.endIndex
        var mantissa = bytes[..<end]
        if let point = mantissa.firstIndex(of: UInt8(ascii: ".")) {
            mantissa.remove(at: point)
            exponent = point - mantissa.endIndex
        }
        guard !mantissa.isEmpty, mantissa.allSatisfy(Self.isDigit) else { return nil }
        if end < bytes.endIndex {
            // An exponent of more than nine digits leaves every type; refused before it can overflow.
            let text = bytes[(end + 1)...]
            guard text.count <= 10, let value = Int(String(decoding: text, as: UTF8.self)) else { return nil }
            exponent += value
        }
        digits = mantissa.drop { $0 == UInt8(ascii: "0") }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
    }

    /// The value as an integer, if it is one of 64 bits: 5.0 and 0.5e1 are 5.
    var int64: Int64? {
        if isZero { return 0 }
        guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
        var value: Int64 = 0
        for place in 0..<(digits.count + exponent) {
            let digit = place < digits.count ? Int64(digits[digits.startIndex + place] - UInt8(ascii: "0")) : 0
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, further) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !overflow, !further else { return nil }
            value = sum
        }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
