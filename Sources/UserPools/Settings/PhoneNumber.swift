/// A telephone number of E.164: a plus sign and at most fifteen digits.
enum PhoneNumber {
    static func isValid(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (4...15).contains(digits.count)
            && digits.allSatisfy(\.isDigit) && digits.first != UInt8(ascii: "0")
    }
}
