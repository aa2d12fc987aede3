extension UInt8 {
    /// The byte with A to Z in lower case.
    var asciiLowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }

    /// RFC 9110 §5.6.3: a space or a horizontal tab.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// The value of a decimal digit.
    var decimalDigit: Int64? { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self ? Int64(self & 0x0F) : nil }

    /// The value of a hexadecimal digit of either case.
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
